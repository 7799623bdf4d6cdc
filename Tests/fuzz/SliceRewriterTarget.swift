/// Slices rewritten with another `frame_num`, with picture order counts, or as those of pictures that are no
/// references: a stream of parameter sets and slices, split at start codes; the first
/// byte selects the edits. Nothing is written beyond the buffer, the size is known in advance, and the result contains
/// no start code and parses to the written values.
func fuzzSliceRewriter(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = unsafe Fuzzing.input(data, size)
    guard let choice = unsafe input.first else { return 0 }
    let stream = unsafe UnsafeRawBufferPointer(rebasing: input.dropFirst())
    let bits = 4 + Int(choice % 13)
    var sequence: SequenceParameterSet?
    var pictures: [PictureParameterSet] = []
    var numbers: FrameNumbering?
    var offset = 0
    while let unit = unsafe (try? AnnexB.next(in: stream, offset: &offset)) ?? nil {
        if let set = unsafe try? SequenceParameterSet(parsing: unit) {
            sequence = set
            numbers = FrameNumbering(sourceBits: set.frameNumberBits)
            unsafe checkWidened(unit, set, bits: bits)
        }
        if let set = unsafe try? PictureParameterSet(parsing: unit) { pictures = Array((pictures + [set]).suffix(4)) }
        guard let sequence else { continue }
        let orderBits = choice & 0x20 != 0 ? bits : nil
        var rewriter = SliceRewriter(
            sequence: sequence, pictures: pictures, frameNumberBits: bits, picOrderCountBits: orderBits)
        do throws(NaluError) {
            try unsafe rewrite(
                unit, &rewriter, &numbers, leavesOut: choice & 0x10 != 0, isLayered: choice & 0x40 != 0, bits: bits,
                orderBits: orderBits)
        } catch {
            Fuzzing.require(error.status == .badData && !error.message.isEmpty, "damaged data are bad data")
        }
    }
    return 0
}

private func rewrite(
    _ unit: UnsafeRawBufferPointer, _ rewriter: inout SliceRewriter, _ numbers: inout FrameNumbering?, leavesOut: Bool,
    isLayered: Bool, bits: Int, orderBits: Int?
) throws(NaluError) {
    let length = withUnsafeBytes(of: UInt32(unit.count).bigEndian) { unsafe [UInt8]($0) }
    let picture = unsafe length + [UInt8](unit)
    if let header = try header(of: picture, &rewriter) {
        numbers?.advance(to: header)
    }
    let current = numbers
    let hasOrder = orderBits != nil && rewriter.sequence.picOrderCountType == 2
    func edit(_ header: inout SliceHeaderSyntax) throws(NaluError) {
        try current?.apply(to: &header, bits: bits)
        header.start.isTypeOfWholePicture = false
        if isLayered {
            if leavesOut && !header.isIDR { header.unitHeader = header.unitHeader.withoutReference }
            header.modification0.removeIfNeedless()
        }
        if hasOrder { header.picOrderCountLSB = 0x5A5A }
    }
    let size = try write(picture, to: 0, &rewriter, edit).size
    let result = try write(picture, to: size, &rewriter, edit)
    Fuzzing.require(result.size == size, "the size is known beforehand")
    Fuzzing.require(result.bytes.dropFirst(size).allSatisfy { $0 == 0xA5 }, "nothing is written behind it")
    if leavesOut { numbers?.leaveOut() }
    // The result is parsed with the number of bits that were written.
    guard let written = try header(of: picture, &rewriter), current != nil else { return }
    var sequence = rewriter.sequence
    sequence.frameNumberBits = bits
    if hasOrder, let orderBits {
        sequence.picOrderCountType = 0
        sequence.picOrderCountBits = orderBits
    }
    let slice = Array(result.bytes[4..<size])
    for set in rewriter.pictures where set.id == written.start.pictureParameterSetID {
        guard let again = try? SliceHeader(parsing: slice, pictureParameterSet: set, sequenceParameterSet: sequence)
        else { fatalError("a rewritten header can be read") }
        Fuzzing.require(again.frameNumber == (current?.number ?? 0) & ((1 << bits) - 1), "it has the number")
        let order = hasOrder ? 0x5A5A & ((1 << sequence.picOrderCountBits) - 1) : written.picOrderCountLSB
        Fuzzing.require(again.picOrderCountLSB == order, "it has the order, or what it had")
        if isLayered && leavesOut && !again.isIDR {
            Fuzzing.require(!again.unitHeader.isReference, "it is no reference")
        }
        Fuzzing.require(again.qp == set.initialQP + written.qpDelta, "it has what it had")
        break
    }
}

private func header(
    of picture: [UInt8], _ rewriter: inout SliceRewriter
) throws(NaluError) -> SliceHeaderSyntax? {
    try unsafe picture.withBytes { (bytes) throws(NaluError) in try unsafe rewriter.firstHeader(of: bytes) }
}

private func write(
    _ picture: [UInt8], to room: Int, _ rewriter: inout SliceRewriter, _ edit: SliceRewriter.Edit
) throws(NaluError) -> (size: Int, bytes: [UInt8]) {
    var memory = [UInt8](repeating: 0xA5, count: room + 16)
    let size = try unsafe picture.withBytes { (bytes) throws(NaluError) in
        guard room > 0 else {
            return try unsafe rewriter.rewrite(
                picture: bytes, into: UnsafeMutableRawBufferPointer(start: nil, count: 0), edit)
        }
        return try unsafe memory.withMutableBytes { (output) throws(NaluError) in
            try unsafe rewriter.rewrite(
                picture: bytes, into: UnsafeMutableRawBufferPointer(rebasing: output[..<room]), edit)
        }
    }
    return (size, memory)
}

private func checkWidened(_ unit: UnsafeRawBufferPointer, _ set: SequenceParameterSet, bits: Int) {
    guard let bytes = unsafe try? SequenceParameterSetEditor.edit(unit, frameNumberBits: bits) else { return }
    let widened = try? SequenceParameterSet(parsing: bytes)
    var expected = set
    expected.frameNumberBits = bits
    Fuzzing.require(widened == expected, "an SPS differs in the bits of frame_num alone")
    guard let ordered = unsafe try? SequenceParameterSetEditor.edit(unit, picOrderCountBits: bits),
        let other = try? SequenceParameterSet(parsing: ordered), set.picOrderCountType == 2
    else { return }
    expected = set
    expected.picOrderCountType = 0
    expected.picOrderCountBits = bits
    expected.reorderDepth = other.reorderDepth
    Fuzzing.require(other == expected, "an SPS differs in its picture order counts alone")
}
