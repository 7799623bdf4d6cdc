/// Losses in a stream of H.264 or H.265. The bytes are NAL units with start codes, which become samples of one to three
/// units, with times from their bytes. Any input gives a finding or bad data, and the same result twice.
func fuzzLossDetector(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let stream = unsafe Fuzzing.input(data, size)
    var units: [[UInt8]] = []
    unsafe try? AnnexB.forEachUnit(in: stream) { unit in
        unsafe units.append([UInt8](unit))
    }
    for codec in VideoCodec.allCases {
        let first = findings(units, codec)
        Fuzzing.require(findings(units, codec) == first, "the same samples have the same losses")
        Fuzzing.require(first.count <= units.count, "a sample has one finding")
    }
    unsafe checkDamaged(stream)
    return 0
}

private func findings(_ units: [[UInt8]], _ codec: VideoCodec) -> [LossFinding?] {
    var detector = StreamLossDetector()
    detector.adopt(codec, parameterSets: units)
    var result: [LossFinding?] = []
    var rest = units[...]
    while let first = rest.first {
        let count = 1 + Int(first.last ?? 0) % 3
        var data: [UInt8] = []
        for unit in rest.prefix(count) {
            let size = UInt32(unit.count)
            data += [UInt8(size >> 24), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255)]
            data += unit
        }
        rest = rest.dropFirst(count)
        let value = Int64(result.count) + Int64(first.count % 5)
        let times = PictureTimes(
            presentation: MediaTime(value: value, timescale: 25),
            duration: first.count % 2 == 0 ? .invalid : MediaTime(value: 1, timescale: 25))
        let report = unsafe data.withUnsafeBytes { unsafe detector.look(at: $0, lengthSize: 4, times) }
        switch report.loss {
        case .success(let finding):
            Fuzzing.require(codec == .hevc || finding != .leadingPicture, "H.264 has no leading pictures")
            result.append(finding)
        case .failure(let error):
            Fuzzing.require(
                error.status == .badData || error.status == .unsupportedDataFormat, "the status is promised")
            result.append(nil)
        }
    }
    return result
}

/// Checks the bytes as length-prefixed data that nothing has validated.
private func checkDamaged(_ bytes: UnsafeRawBufferPointer) {
    let times = PictureTimes(presentation: .invalid, duration: .positiveInfinity)
    for codec in VideoCodec.allCases {
        for lengthSize in [1, 2, 4] {
            var detector = StreamLossDetector()
            _ = unsafe detector.look(at: bytes, lengthSize: lengthSize, times)
            detector.adopt(codec, parameterSets: [])
            _ = unsafe detector.look(at: bytes, lengthSize: lengthSize, times)
        }
    }
}
