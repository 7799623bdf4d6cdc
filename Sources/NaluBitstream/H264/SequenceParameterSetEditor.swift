/// Changes the few parts of an SPS that an encoder may get wrong, and leaves every other bit as it is.
public enum SequenceParameterSetEditor {
    /// What is to become of the timing information (ITU-T H.264 E.1.1, timing_info_present_flag and what follows).
    public enum Timing: Hashable, Sendable {
        /// Stays as it is.
        case unchanged
        /// Is taken away, for streams without a frame rate.
        case removed
        /// Says `timeScale / (2 * unitsInTick)` frames a second. Both numbers are at least 1.
        case set(unitsInTick: UInt32, timeScale: UInt32, isFixed: Bool)
    }

    /// The SPS NAL unit with other timing information, additional constraint flags, a constant bit rate, or another size
    /// of `frame_num`.
    ///
    /// `unit` begins with its header byte and has its emulation prevention bytes in place, as has the result. An SPS
    /// without VUI gets one that says nothing else when timing is set. `constraintFlags` are ORed into the byte after
    /// `profile_idc`: constraint_set0_flag is 0x80; the lowest two bits are reserved. `hasConstantBitRate` sets cbr_flag in
    /// each schedule of the NAL HRD parameters, where there are any. `frameNumberBits` is 4 to 16, or nil to leave it; the
    /// slices must then be rewritten (``SliceRewriter``). When nothing changes, the result is `unit`, byte for byte.
    ///
    /// Throws `.badData` and `.unsupportedDataFormat` as ``SequenceParameterSet`` does; `.parameter` for a number of
    /// the timing that is 0, a reserved bit, other bits of `frame_num`, or a result of more than 65535 bytes.
    public static func edit(
        _ unit: UnsafeRawBufferPointer,
        timing: Timing = .unchanged,
        addingConstraintFlags constraintFlags: UInt8 = 0,
        hasConstantBitRate: Bool = false,
        frameNumberBits: Int? = nil
    ) throws(NaluError) -> [UInt8] {
        if let frameNumberBits, !(4...16).contains(frameNumberBits) {
            throw NaluError(.parameter, "frame_num is to have \(frameNumberBits) bits, expected 4 to 16")
        }
        guard constraintFlags & 0x03 == 0 else {
            throw NaluError(
                .parameter,
                "the constraint flags are 0x\(String(constraintFlags, radix: 16)), expected the lowest two bits clear"
            )
        }
        if case .set(let unitsInTick, let timeScale, _) = timing, unitsInTick == 0 || timeScale == 0 {
            throw NaluError(
                .parameter,
                "num_units_in_tick is \(unitsInTick) and time_scale is \(timeScale), expected at least 1 each"
            )
        }
        let parser = unsafe try SequenceParameterSetParser(parsing: unit)
        let payload = rewrite(
            parser, timing: timing, constraintFlags: constraintFlags, hasConstantBitRate: hasConstantBitRate,
            frameNumberBits: frameNumberBits)

        return unsafe try finished(payload, from: parser, unlessUnchanged: unit)
    }

    /// The SPS NAL unit with its pictures cropped further, on the right and at the bottom, to the size that a container
    /// names; `unit` itself if that size does not differ by less than a macroblock, or if chroma does not allow it.
    ///
    /// Decoders and players crop so, as far as the SPS crops nothing on the left and at the top: some encoders leave the
    /// cropping of 854 x 480 pixels to the container. Throws as
    /// ``edit(_:timing:addingConstraintFlags:hasConstantBitRate:)-(UnsafeRawBufferPointer,_,_,_)`` does.
    package static func crop(
        _ unit: UnsafeRawBufferPointer, width: Int, height: Int
    ) throws(NaluError) -> [UInt8] {
        let parser = unsafe try SequenceParameterSetParser(parsing: unit)
        let sps = parser.result
        let hasHalfWidth = !sps.separateColourPlanes && (sps.chromaFormatIDC == 1 || sps.chromaFormatIDC == 2)
        let hasHalfHeight = !sps.separateColourPlanes && sps.chromaFormatIDC == 1
        let unitX = hasHalfWidth ? 2 : 1
        let unitY = (hasHalfHeight ? 2 : 1) * (sps.frameMbsOnly ? 1 : 2)
        guard (width, height) != (sps.width, sps.height), sps.cropLeft == 0, sps.cropTop == 0, width > 0, height > 0,
            width <= sps.width, height <= sps.height, (width + 15) / 16 == (sps.width + 15) / 16,
            (height + 15) / 16 == (sps.height + 15) / 16, (sps.codedWidth - width) % unitX == 0,
            (sps.codedHeight - height) % unitY == 0
        else { return unsafe [UInt8](unit) }
        let source = parser.reader.bytes
        var writer = BitWriter()
        writer.append(source, bits: 0..<parser.croppingRange.lowerBound)
        writer.append(true)
        writer.append(unsigned: 0)
        writer.append(unsigned: UInt32((sps.codedWidth - width) / unitX))
        writer.append(unsigned: 0)
        writer.append(unsigned: UInt32((sps.codedHeight - height) / unitY))
        writer.append(source, bits: parser.croppingRange.upperBound..<parser.reader.end)
        return unsafe try finished(writer, from: parser, unlessUnchanged: unit)
    }

    /// The NAL unit of a payload without trailing bits, or `unit` where its payload is the same.
    private static func finished(
        _ payload: BitWriter, from parser: SequenceParameterSetParser, unlessUnchanged unit: UnsafeRawBufferPointer
    ) throws(NaluError) -> [UInt8] {
        let source = parser.reader.bytes
        // Compared as payload bits: a unit may end in zeros or have spare escapes, which count as unchanged.
        let end = parser.reader.end
        var unchanged = BitWriter()
        unchanged.append(source, bits: 0..<end)
        guard payload.count != end || payload.bytes != unchanged.bytes else {
            return unsafe [UInt8](unit)
        }
        var complete = payload
        complete.appendTrailingBits()
        let edited = EmulationPrevention.inserting(into: complete.bytes)
        guard edited.count <= BitReader.maximumUnitSize else {
            throw NaluError(
                .parameter,
                "the edited SPS has \(edited.count) bytes, expected at most \(BitReader.maximumUnitSize)"
            )
        }
        return edited
    }

    /// The same for an array. Throws as
    /// ``edit(_:timing:addingConstraintFlags:hasConstantBitRate:frameNumberBits:)-(UnsafeRawBufferPointer,_,_,_,_)`` does.
    public static func edit(
        _ unit: [UInt8],
        timing: Timing = .unchanged,
        addingConstraintFlags constraintFlags: UInt8 = 0,
        hasConstantBitRate: Bool = false,
        frameNumberBits: Int? = nil
    ) throws(NaluError) -> [UInt8] {
        unsafe try unit.withBytes { (bytes) throws(NaluError) in
            unsafe try edit(
                bytes, timing: timing, addingConstraintFlags: constraintFlags, hasConstantBitRate: hasConstantBitRate,
                frameNumberBits: frameNumberBits)
        }
    }

    /// The payload with the changes, without trailing bits.
    private static func rewrite(
        _ parser: SequenceParameterSetParser,
        timing: Timing,
        constraintFlags: UInt8,
        hasConstantBitRate: Bool,
        frameNumberBits: Int?
    ) -> BitWriter {
        var source = parser.reader.bytes
        source[2] |= constraintFlags
        if hasConstantBitRate {
            for flag in parser.nalConstantFlags { source[flag / 8] |= 0x80 >> UInt8(flag % 8) }
        }
        let end = parser.reader.end
        var writer = BitWriter()
        let numbers = parser.frameNumberRange
        writer.append(source, bits: 0..<numbers.lowerBound)
        writer.append(unsigned: UInt32((frameNumberBits ?? parser.result.frameNumberBits) - 4))
        guard timing != .unchanged, parser.timingRange != nil || timing != .removed else {
            writer.append(source, bits: numbers.upperBound..<end)
            return writer
        }
        if let range = parser.timingRange {
            writer.append(source, bits: numbers.upperBound..<range.lowerBound)
            append(timing, to: &writer)
            writer.append(source, bits: range.upperBound..<end)
        } else {
            let flag = parser.usabilityFlagPosition
            writer.append(source, bits: numbers.upperBound..<flag)
            writer.append(true)
            // No aspect ratio, overscan, video signal type or chroma location; and after the timing no HRD of either
            // kind, no picture structure and no restriction.
            writer.append(0, width: 4)
            append(timing, to: &writer)
            writer.append(0, width: 4)
            writer.append(source, bits: flag + 1..<end)
        }
        return writer
    }

    private static func append(_ timing: Timing, to writer: inout BitWriter) {
        guard case .set(let unitsInTick, let timeScale, let isFixed) = timing else {
            writer.append(false)
            return
        }
        writer.append(true)
        writer.append(unitsInTick, width: 32)
        writer.append(timeScale, width: 32)
        writer.append(isFixed)
    }
}
