/// The stream parser with H.264 and H.265: with any split of the bytes the samples are the same, their sizes add up,
/// and decode times increase.
func fuzzStreamParser(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let stream = unsafe Fuzzing.input(data, size)
    unsafe check(stream, FormatDescription.h264)
    unsafe check(stream, FormatDescription.hevc)
    return 0
}

private func check(_ stream: UnsafeRawBufferPointer, _ codec: UInt32) {
    let whole = unsafe samples(of: stream, codec, seed: nil)
    let cut = unsafe samples(of: stream, codec, seed: UInt32(truncatingIfNeeded: stream.count) &+ 1)
    Fuzzing.require(whole.count == cut.count, "as many samples however the bytes are cut")
    var last: MediaTime?
    for (a, b) in zip(whole, cut) {
        Fuzzing.require(a.bytes == b.bytes && a.formatDescription == b.formatDescription, "the same samples")
        Fuzzing.require(a.attachments == b.attachments && a.presentationTime == b.presentationTime, "the same facts")
        Fuzzing.require(a.decodeTime <= a.presentationTime, "nothing is shown before it is decoded")
        if let last { Fuzzing.require(last < a.decodeTime, "decode times grow") }
        last = a.decodeTime
        var hasSlice = false
        var setsAreInside = true
        let isSound: Void? = unsafe try? LengthPrefixed.forEachUnit(in: a.data, lengthSize: 4) { unit in
            if unsafe isParameterSet(unit, codec) {
                Fuzzing.require(codec == FormatDescription.h264 && hasSlice, "no parameter sets but between two fields")
                setsAreInside = false
            } else if unsafe isSlice(unit, codec) {
                hasSlice = true
                setsAreInside = true
            }
        }
        Fuzzing.require(setsAreInside, "no parameter sets behind the last slice")
        Fuzzing.require(isSound != nil && a.nalUnitCount > 0, "the lengths add up")
    }
}

private func isParameterSet(_ unit: UnsafeRawBufferPointer, _ codec: UInt32) -> Bool {
    if codec == FormatDescription.h264 {
        let type = unsafe NALUnitHeader(of: unit)?.type
        return type == .sequenceParameterSet || type == .pictureParameterSet
    }
    guard let header = unsafe HEVCUnitHeader(of: unit), header.layerID == 0 else { return false }
    return (32...34).contains(header.type.rawValue)
}

private func isSlice(_ unit: UnsafeRawBufferPointer, _ codec: UInt32) -> Bool {
    guard codec == FormatDescription.h264 else { return unsafe HEVCUnitHeader(of: unit)?.type.isSlice == true }
    return unsafe NALUnitHeader(of: unit)?.type.isSlice == true
}

private func samples(of stream: UnsafeRawBufferPointer, _ codec: UInt32, seed: UInt32?) -> [Sample] {
    var options = StreamParserOptions()
    options.maximumAccessUnitSize = 1024
    guard let parser = try? StreamParser(codec: codec, options: options) else { return [] }
    var random = seed ?? 0
    var offset = 0
    var result: [Sample] = []
    func fetch() {
        while true {
            do throws(NaluError) {
                guard case .sample(let sample) = try parser.next() else { return }
                result.append(sample)
            } catch {
                Fuzzing.require(!error.message.isEmpty, "a failure has a sentence")
            }
        }
    }
    while offset < stream.count {
        random = random &* 1_664_525 &+ 1_013_904_223
        let size = seed == nil ? stream.count : 1 + Int(random >> 24) % (random & 0x100 == 0 ? 3 : 60)
        let end = min(stream.count, offset + size)
        let pushed: Void? = unsafe try? parser.push(UnsafeRawBufferPointer(rebasing: stream[offset..<end]))
        Fuzzing.require(pushed != nil, "bytes are taken")
        offset = end
        fetch()
    }
    parser.finish()
    fetch()
    return result
}
