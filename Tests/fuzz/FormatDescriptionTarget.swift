/// Format descriptions from an avcC record and from the NAL units of an Annex B stream. Both ways give the same result.
func fuzzFormatDescription(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = unsafe Fuzzing.input(data, size)
    if let configuration = unsafe try? AVCConfiguration(reading: bytes) {
        let record = configuration.serialized()
        Fuzzing.require((try? AVCConfiguration(reading: record)) == configuration, "a record comes back")
        Fuzzing.require(record.count <= size, "a record is no longer than what it was read from")
    }
    if let format = unsafe try? FormatDescription(avcC: bytes) {
        check(format)
    }
    var units: [[UInt8]] = []
    unsafe try? AnnexB.forEachUnit(in: bytes) { unit in
        unsafe units.append([UInt8](unit))
    }
    if let format = try? FormatDescription(parameterSets: units, lengthSize: 2) {
        check(format)
    }
    return 0
}

private func check(_ format: FormatDescription) {
    guard let again = try? FormatDescription(parameterSets: format.parameterSets, lengthSize: format.lengthSize) else {
        fatalError("a format description cannot be made from its own parameter sets")
    }
    Fuzzing.require(again.parameterSets == format.parameterSets, "the parameter sets stay")
    Fuzzing.require(again.sequence == format.sequence, "the sequence stays")
    guard let read = try? FormatDescription(avcC: again.avcCBytes ?? []) else {
        fatalError("a format description cannot be read from its own record")
    }
    Fuzzing.require(read == again && read.hashValue == again.hashValue, "a record gives an equal description")
    var sets: [[UInt8]] = []
    unsafe try? AnnexB.forEachUnit(in: format.annexBParameterSets) { unit in
        unsafe sets.append([UInt8](unit))
    }
    let trimmed = format.parameterSets.map { set in
        [UInt8](set[...(set.lastIndex { $0 != 0 } ?? 0)])
    }
    Fuzzing.require(sets == trimmed, "the Annex B form holds the parameter sets")
    _ = format.description
}
