/// Writes coded pictures with other slice headers (ITU-T H.264 7.3.3). The macroblocks stay as they are.
///
/// CABAC slice data begin at a byte boundary (`cabac_alignment_one_bit`) and are copied. CAVLC slice data move by as
/// many bits as the header grows. If that is not a multiple of 8, macroblocks of type I_PCM, which are aligned to
/// bytes, become corrupt.
package struct SliceRewriter: Sendable {
    /// The SPS that the slices were written for.
    package let sequence: SequenceParameterSet
    package let pictures: [PictureParameterSet]
    /// The size of `frame_num`, 4 to 16 bits, in the SPS that the slices will be read with.
    package let frameNumberBits: Int
    /// The SPS that the slices will be read with.
    private let target: SequenceParameterSet
    /// The first bytes of a slice without emulation prevention. The memory is reused.
    private var source: [UInt8] = []

    package typealias Edit = (inout SliceHeaderSyntax) throws(NaluError) -> Void

    /// Creates a rewriter. The parameter sets are those that the slices were written for. With `picOrderCountBits`, the
    /// result has picture order counts of that size, which the edit sets
    /// (``SliceHeaderSyntax/picOrderCountLSB``); see ``SequenceParameterSetEditor``.
    package init(
        sequence: SequenceParameterSet, pictures: [PictureParameterSet], frameNumberBits: Int,
        picOrderCountBits: Int? = nil
    ) {
        self.sequence = sequence
        self.pictures = pictures.filter { $0.sequenceParameterSetID == sequence.id }
        self.frameNumberBits = min(max(frameNumberBits, 4), 16)
        var target = sequence
        if let picOrderCountBits, sequence.picOrderCountType == 2 {
            target.picOrderCountType = 0
            target.picOrderCountBits = min(max(picOrderCountBits, 4), 16)
        }
        self.target = target
        source.reserveCapacity(BitReader.maximumSliceHeaderSize)
    }

    /// Rewrites a picture, which consists of NAL units with 4-byte length prefixes. Returns the size of the result. If
    /// `output` has no address, only the size is computed. `edit` is called for each slice header, so twice if the size
    /// is computed first.
    ///
    /// Throws `.badData` for NAL units or headers that cannot be read, `.bufferTooSmall` if `output` is too small, and
    /// what `edit` throws. The output must not overlap the picture.
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

    /// Rewrites one NAL unit without prefix, and returns the size of the result. Anything but a slice is copied. If
    /// `output` is too small, the result is cut off.
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
        header.write(to: &writer, source: source, set, target, frameNumberBits: frameNumberBits)
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

    /// Returns the header of the first slice of a picture; nil if there is no slice. Throws `.badData` if the header
    /// cannot be read.
    package mutating func firstHeader(of picture: UnsafeRawBufferPointer) throws(NaluError) -> SliceHeaderSyntax? {
        var offset = 0
        while let unit = unsafe try LengthPrefixed.next(in: picture, lengthSize: 4, offset: &offset) {
            guard unsafe NALUnitHeader(of: unit)?.hasSliceHeader == true else { continue }
            return unsafe try read(unit).header
        }
        return nil
    }

    /// Reads a slice header. `end` is its size in bits with NAL unit header, without emulation prevention.
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
                "a slice names the picture parameter set \(start.pictureParameterSetID); expected one of its stream")
        }
        var header = try SliceHeaderSyntax(start, in: &reader, set, sequence)
        try header.readTail(in: &reader, set, sequence)
        return (header, set, reader.position)
    }
}
