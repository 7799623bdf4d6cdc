/// Writes coded pictures with other slice headers (ITU-T H.264 7.3.3); the macroblocks stay as they are.
///
/// CABAC slice data begin at a whole byte (`cabac_alignment_one_bit`) and are copied with what follows them. CAVLC slice
/// data move by as many bits as the header grows. If that is no multiple of 8, macroblocks of type I_PCM, which are
/// aligned to bytes, do not survive it.
package struct SliceRewriter: Sendable {
    /// The SPS that the slices were written for.
    package let sequence: SequenceParameterSet
    package let pictures: [PictureParameterSet]
    /// Bits of `frame_num` in the SPS that the slices will be read with, 4 to 16.
    package let frameNumberBits: Int
    /// The first bytes of a slice without emulation prevention; reused.
    private var source: [UInt8] = []

    package typealias Edit = (inout SliceHeaderSyntax) throws(NaluError) -> Void

    /// The parameter sets are those that the slices were written for.
    package init(sequence: SequenceParameterSet, pictures: [PictureParameterSet], frameNumberBits: Int) {
        self.sequence = sequence
        self.pictures = pictures.filter { $0.sequenceParameterSetID == sequence.id }
        self.frameNumberBits = min(max(frameNumberBits, 4), 16)
        source.reserveCapacity(BitReader.maximumSliceHeaderSize)
    }

    /// Rewrites a picture: NAL units with 4-byte length prefixes. Returns the size of the result; if `output` has no
    /// address, that is all it does. `edit` gets each slice header, perhaps twice.
    ///
    /// Throws `.badData` for units or headers that cannot be read, `.bufferTooSmall` if the output is, and what `edit`
    /// throws. The output must not overlap the picture.
    package mutating func rewrite(
        picture: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ edit: Edit
    ) throws(NaluError) -> Int {
        let prefix = try LengthPrefix(size: 4)
        var offset = 0
        var count = 0
        while let unit = unsafe try LengthPrefixed.next(in: picture, lengthSize: prefix.size, offset: &offset) {
            let start = count + prefix.size
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: output[min(start, output.count)...])
            let size = unsafe try rewrite(unit: unit, into: rest, edit)
            if let base = output.baseAddress, start <= output.count {
                unsafe prefix.write(size, to: base + count)
            }
            count = start + size
        }
        if unsafe output.baseAddress != nil {
            try BufferSize.check(needed: count, capacity: output.count)
        }
        return count
    }

    /// The same for one NAL unit without prefix; one that is no slice is copied. An output that is too small is filled.
    package mutating func rewrite(
        unit: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ edit: Edit
    ) throws(NaluError) -> Int {
        guard unsafe NALUnitHeader(of: unit)?.hasSliceHeader == true else {
            let room = min(unit.count, output.count)
            unsafe output.copyMemory(from: UnsafeRawBufferPointer(rebasing: unit[..<room]))
            return unit.count
        }
        var (header, set, end) = unsafe try read(unit)
        try edit(&header)
        var writer = unsafe EscapingBitWriter(into: output)
        header.write(to: &writer, source: source, set, sequence, frameNumberBits: frameNumberBits)
        var data = unsafe UnescapedBytes(unit)
        for _ in 0..<end / 8 { _ = data.next() }
        var hasStopBit = false
        if set.usesCABAC {
            writer.alignWithOnes()
            if end % 8 > 0 { _ = data.next() }
        } else if end % 8 > 0, let byte = data.next() {
            writer.append(UInt32(byte), width: 8 - end % 8)
            hasStopBit = byte &<< UInt8(end % 8) != 0
        }
        if writer.pendingCount == 0 {
            writer.append(rest: data)
        } else {
            writer.append(shifting: data, hasStopBit: hasStopBit)
        }
        return writer.byteCount
    }

    /// The header of the first slice of a picture; nil if it has none. Throws `.badData` for one that cannot be read.
    package mutating func firstHeader(of picture: UnsafeRawBufferPointer) throws(NaluError) -> SliceHeaderSyntax? {
        var offset = 0
        while let unit = unsafe try LengthPrefixed.next(in: picture, lengthSize: 4, offset: &offset) {
            guard unsafe NALUnitHeader(of: unit)?.hasSliceHeader == true else { continue }
            return unsafe try read(unit).header
        }
        return nil
    }

    /// Reads a slice's header; `end` is its size in bits without emulation prevention, with the NAL unit header.
    private mutating func read(
        _ unit: UnsafeRawBufferPointer
    ) throws(NaluError) -> (header: SliceHeaderSyntax, set: PictureParameterSet, end: Int) {
        unsafe EmulationPrevention.remove(
            from: UnsafeRawBufferPointer(rebasing: unit.prefix(BitReader.maximumSliceHeaderSize)), into: &source)
        var reader = try BitReader(sliceHeader: source)
        let start = try SliceStart(in: &reader)
        guard let set = pictures.first(where: { $0.id == start.pictureParameterSetID }) else {
            throw NaluError(
                .badData,
                "a slice names the picture parameter set \(start.pictureParameterSetID), expected one of its stream")
        }
        var header = try SliceHeaderSyntax(start, in: &reader, set, sequence)
        try header.readTail(in: &reader, set, sequence)
        return (header, set, reader.position)
    }
}
