/// Changes the few fields of an SPS that an encoder may get wrong, and leaves every other bit unchanged.
public enum SequenceParameterSetEditor {
    /// A change to the timing information (ITU-T H.264 E.1.1, timing_info_present_flag and its fields).
    public enum Timing: Hashable, Sendable {
        /// Leaves the timing information unchanged.
        case unchanged
        /// Removes the timing information, for streams without a frame rate.
        case removed
        /// Sets the frame rate to `timeScale / (2 * unitsInTick)`. Both numbers are at least 1.
        case set(unitsInTick: UInt32, timeScale: UInt32, isFixed: Bool)
    }

    /// Returns the SPS NAL unit with other timing information, additional constraint flags, a constant bit rate, another
    /// size of `frame_num`, or picture order counts in the slices.
    ///
    /// `unit` and the result begin with the header byte and have emulation prevention bytes. If `timing` is set and the
    /// SPS has no VUI, the result has a VUI with timing information only. `constraintFlags` are ORed into the byte
    /// after `profile_idc`: constraint_set0_flag is 0x80; the lowest two bits are reserved. `hasConstantBitRate` sets
    /// cbr_flag in each schedule of the NAL HRD parameters, if the SPS has any. `frameNumberBits` is 4 to 16, or nil
    /// for no change; the slices must then be rewritten too (``SliceRewriter``). So they must for `picOrderCountBits`, 4 to
    /// 16, which makes a stream of picture order count type 2 one of type 0, whose slices have counts of that size. If
    /// nothing changes, the result is `unit`, byte for byte.
    ///
    /// Throws `.badData` and `.unsupportedDataFormat` as ``SequenceParameterSet`` does. Throws `.parameter` for a
    /// timing number of 0, a reserved bit, a wrong number of bits, or a result of more than 65535 bytes.
    public static func edit(
        _ unit: UnsafeRawBufferPointer, timing: Timing = .unchanged, addingConstraintFlags constraintFlags: UInt8 = 0,
        hasConstantBitRate: Bool = false, frameNumberBits: Int? = nil, picOrderCountBits: Int? = nil
    ) throws(NaluError) -> [UInt8] {
        if let frameNumberBits, !(4...16).contains(frameNumberBits) {
            throw NaluError(.parameter, "frame_num is to have \(frameNumberBits) bits; expected 4 to 16")
        }
        if let picOrderCountBits, !(4...16).contains(picOrderCountBits) {
            throw NaluError(.parameter, "pic_order_cnt_lsb is to have \(picOrderCountBits) bits; expected 4 to 16")
        }
        guard constraintFlags & 0x03 == 0 else {
            throw NaluError(
                .parameter,
                "the constraint flags are 0x\(String(constraintFlags, radix: 16)); expected the lowest two bits clear"
            )
        }
        if case .set(let unitsInTick, let timeScale, _) = timing, unitsInTick == 0 || timeScale == 0 {
            throw NaluError(
                .parameter,
                "num_units_in_tick is \(unitsInTick) and time_scale is \(timeScale); expected at least 1 each"
            )
        }
        let parser = unsafe try SequenceParameterSetParser(parsing: unit)
        let payload = rewrite(
            parser, timing: timing, constraintFlags: constraintFlags, hasConstantBitRate: hasConstantBitRate,
            frameNumberBits: frameNumberBits, picOrderCountBits: picOrderCountBits)

        return unsafe try finished(payload, from: parser.reader, unlessUnchanged: unit)
    }

    /// Returns the SPS NAL unit with its pictures cropped further, on the right and at the bottom, to the size that a
    /// container states. Returns `unit` if that size is not smaller, has fewer macroblocks, or is not possible with the
    /// chroma format.
    ///
    /// Decoders and players crop like this if the SPS crops nothing on the left and at the top. Some encoders leave the
    /// cropping of 854 x 480 pixels to the container. Throws as
    /// ``edit(_:timing:addingConstraintFlags:hasConstantBitRate:frameNumberBits:picOrderCountBits:)-(UnsafeRawBufferPointer,_,_,_,_,_)`` does.
    package static func crop(
        _ unit: UnsafeRawBufferPointer, width: Int, height: Int
    ) throws(NaluError) -> [UInt8] {
        let parser = unsafe try SequenceParameterSetParser(parsing: unit)
        let sps = parser.result
        let step = sps.croppingUnit
        guard (width, height) != (sps.width, sps.height), sps.cropLeft == 0, sps.cropTop == 0, width > 0, height > 0,
            width <= sps.width, height <= sps.height, (width + 15) / 16 == (sps.width + 15) / 16,
            (height + 15) / 16 == (sps.height + 15) / 16, (sps.codedWidth - width) % step.x == 0,
            (sps.codedHeight - height) % step.y == 0
        else { return unsafe [UInt8](unit) }
        let writer = cropped(
            parser,
            [0, (sps.codedWidth - width) / step.x, 0, (sps.codedHeight - height) / step.y].map { UInt32($0) })
        return unsafe try finished(writer, from: parser.reader, unlessUnchanged: unit)
    }

    /// Returns the payload with other offsets of cropping: left, right, top and bottom, in units of cropping.
    static func cropped(_ parser: SequenceParameterSetParser, _ offsets: [UInt32]) -> BitWriter {
        let source = parser.reader.bytes
        var writer = BitWriter()
        writer.append(source, bits: 0..<parser.croppingRange.lowerBound)
        writer.append(true)
        for offset in offsets { writer.append(unsigned: offset) }
        writer.append(source, bits: parser.croppingRange.upperBound..<parser.reader.end)
        return writer
    }

    /// Returns the NAL unit of a payload without trailing bits, or `unit` if its payload is the same.
    static func finished(
        _ payload: BitWriter, from reader: BitReader, unlessUnchanged unit: UnsafeRawBufferPointer
    ) throws(NaluError) -> [UInt8] {
        let source = reader.bytes
        // Payload bits are compared: zeros at the end and unneeded emulation prevention bytes count as unchanged.
        let end = reader.end
        var unchanged = BitWriter()
        unchanged.append(source, bits: 0..<end)
        guard payload.count != end || payload.bytes != unchanged.bytes else { return unsafe [UInt8](unit) }
        var complete = payload
        complete.appendTrailingBits()
        let edited = EmulationPrevention.inserting(into: complete.bytes)
        guard edited.count <= BitReader.maximumUnitSize else {
            throw NaluError(
                .parameter,
                "the edited SPS has \(edited.count) bytes; expected at most \(BitReader.maximumUnitSize)"
            )
        }
        return edited
    }

    /// Edits an SPS in an array. Throws as
    /// ``edit(_:timing:addingConstraintFlags:hasConstantBitRate:frameNumberBits:picOrderCountBits:)-(UnsafeRawBufferPointer,_,_,_,_,_)``
    /// does.
    public static func edit(
        _ unit: [UInt8], timing: Timing = .unchanged, addingConstraintFlags constraintFlags: UInt8 = 0,
        hasConstantBitRate: Bool = false, frameNumberBits: Int? = nil, picOrderCountBits: Int? = nil
    ) throws(NaluError) -> [UInt8] {
        unsafe try unit.withBytes { (bytes) throws(NaluError) in
            unsafe try edit(
                bytes, timing: timing, addingConstraintFlags: constraintFlags, hasConstantBitRate: hasConstantBitRate,
                frameNumberBits: frameNumberBits, picOrderCountBits: picOrderCountBits)
        }
    }

    /// Returns the edited payload without trailing bits.
    private static func rewrite(
        _ parser: SequenceParameterSetParser, timing: Timing, constraintFlags: UInt8, hasConstantBitRate: Bool,
        frameNumberBits: Int?, picOrderCountBits: Int?
    ) -> BitWriter {
        var source = parser.reader.bytes
        source[2] |= constraintFlags
        if hasConstantBitRate {
            for flag in parser.nalConstantFlags { source[flag / 8] |= 0x80 >> UInt8(flag % 8) }
        }
        let end = parser.reader.end
        var writer = BitWriter()
        var numbers = parser.frameNumberRange
        writer.append(source, bits: 0..<numbers.lowerBound)
        writer.append(unsigned: UInt32((frameNumberBits ?? parser.result.frameNumberBits) - 4))
        if let picOrderCountBits, parser.result.picOrderCountType == 2 {
            writer.append(unsigned: 0)
            writer.append(unsigned: UInt32(picOrderCountBits - 4))
            // pic_order_cnt_type 2 is coded in three bits.
            numbers = numbers.lowerBound..<numbers.upperBound + 3
        }
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
            // The new VUI has no aspect ratio, overscan, video signal type or chroma location before the timing. After
            // the timing it has no HRD parameters of either kind, no picture structure and no restriction.
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

/// Writes syntax elements of a parameter set (ITU-T H.264 7.2 and 9.1), without emulation prevention.
package struct BitWriter: BitSink {
    /// The bytes so far. Unwritten bits of the last byte are zero.
    package private(set) var bytes: [UInt8] = []
    /// The number of bits written.
    package private(set) var count = 0

    package init() {}

    package mutating func append(_ value: UInt32, width: Int) {
        var left = width
        while left > 0 {
            let free = 8 - count & 7
            if free == 8 {
                bytes.append(0)
            }
            let step = min(free, left)
            left -= step
            let chunk = UInt8(truncatingIfNeeded: value &>> UInt32(left)) & UInt8(truncatingIfNeeded: (1 << step) - 1)
            bytes[bytes.count - 1] |= chunk &<< UInt8(free - step)
            count += step
        }
    }

    /// Appends the stop bit and the zeros up to the next whole byte.
    package mutating func appendTrailingBits() {
        append(true)
        append(0, width: (8 - count & 7) & 7)
    }
}
