/// H.265 parameter sets, records and slice headers: parsed values are in their ranges. A format description can be
/// restored from its NAL units and from its record.
func fuzzHEVCParameterSet(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = unsafe Fuzzing.input(data, size)
    let limit = SequenceParameterSet.maximumDimension
    do throws(NaluError) {
        let set = unsafe try HEVCSequenceParameterSet(parsing: bytes)
        Fuzzing.require((1...limit).contains(set.width) && (1...limit).contains(set.height), "the size is in its range")
        Fuzzing.require((0...15).contains(set.reorderDepth), "the reorder depth is in its range")
        Fuzzing.require((set.common.unitsInTick == 0) == (set.common.timeScale == 0), "a tick has both numbers")
        _ = set.common.frameDuration
    } catch {
        Fuzzing.require(error.status == .badData || error.status == .unsupportedDataFormat, "the status is promised")
    }
    _ = unsafe try? HEVCVideoParameterSet(parsing: bytes)
    _ = unsafe try? HEVCPictureParameterSet(parsing: bytes)
    checkLists(unsafe [UInt8](bytes))
    if let configuration = unsafe try? HEVCConfiguration(reading: bytes) {
        let record = configuration.serialized()
        Fuzzing.require((try? HEVCConfiguration(reading: record)) == configuration, "a record comes back")
        Fuzzing.require(record.count <= size, "a record is no longer than what it was read from")
    }
    if let format = unsafe try? FormatDescription(hvcC: bytes) { check(format) }
    var units: [[UInt8]] = []
    unsafe try? AnnexB.forEachUnit(in: bytes) { unit in
        unsafe units.append([UInt8](unit))
    }
    if let format = try? FormatDescription(hevcParameterSets: units, lengthSize: 2) {
        check(format)
        guard let sequence = format.hevcSequence,
            let picture = format.parameterSets.lazy.compactMap({ try? HEVCPictureParameterSet(parsing: $0) }).first
        else { fatalError("a format description without parameter sets") }
        var header = [UInt8](bytes.suffix(64))
        if header.count > 1 { (header[0], header[1]) = (header[0] & 0x2F, 1) }
        if let slice = try? HEVCSliceHeader(
            parsing: header, pictureParameterSet: picture, sequenceParameterSet: sequence)
        {
            Fuzzing.require(slice.picOrderCountLSB < 1 << sequence.picOrderCountBits, "the order is in its range")
            check(slice, sequence)
            let again = try? HEVCSliceHeader(
                parsing: header + header, pictureParameterSet: picture, sequenceParameterSet: sequence)
            Fuzzing.require(again == slice, "what follows the header does not matter")
            guard
                let sample = try? Sample(
                    copying: [0, UInt8(header.count)] + header, formatDescription: format,
                    presentationTime: .zero)
            else { fatalError("no sample can be made") }
            let times = PictureTimes(presentation: .zero, duration: .invalid)
            let stored = StoredParameterSet(bytes: [], content: sequence)
            var references = RPSLossDetector()
            for _ in 0..<3 { _ = references.look(at: HEVCSlice(header: slice, sequence: stored), at: times) }
            let detector = LossDetector()
            for _ in 0..<2 { _ = try? detector.look(at: sample) }
        }
    }
    return 0
}

/// Checks that every element of a parameter set takes at least one bit, and that an invalid set cannot be listed to its
/// end.
private func checkLists(_ unit: [UInt8]) {
    let lists = [
        HEVCVideoParameterSet.elements(of: unit), HEVCSequenceParameterSet.elements(of: unit),
        HEVCPictureParameterSet.elements(of: unit),
    ]
    let isSound = [
        (try? HEVCVideoParameterSet(parsing: unit)) != nil, (try? HEVCSequenceParameterSet(parsing: unit)) != nil,
        (try? HEVCPictureParameterSet(parsing: unit)) != nil,
    ]
    for (list, isSound) in zip(lists, isSound) {
        Fuzzing.require(list.elements.count <= 8 * unit.count, "no element is without a bit")
        Fuzzing.require(list.error != nil || isSound, "a list to the end is that of a sound set")
    }
    let sequence = try? HEVCSequenceParameterSet(parsing: unit)
    for message in SEIMessage.hevcMessages(of: unit) {
        Fuzzing.require(message.hevcElements { _ in sequence }.count < 300, "no message has that many elements")
    }
}

private func check(_ slice: HEVCSliceHeader, _ sequence: HEVCSequenceParameterSet) {
    let set = slice.shortTermReferences
    Fuzzing.require(set.prefix(set.earlierCount).allSatisfy { $0.distance < 0 }, "the earlier ones come first")
    Fuzzing.require(set.dropFirst(set.earlierCount).allSatisfy { $0.distance > 0 }, "then the later ones")
    let longTerm = slice.longTermReferences
    Fuzzing.require(
        longTerm.allSatisfy { $0.orderLSB < 1 << sequence.picOrderCountBits && ($0.cycle ?? 0) >= 0 },
        "long-term references have orders")
}

private func check(_ format: FormatDescription) {
    let sets = format.parameterSets
    guard let again = try? FormatDescription(hevcParameterSets: sets, lengthSize: format.lengthSize) else {
        fatalError("a format description cannot be made from its own parameter sets")
    }
    Fuzzing.require(again == format && again.parameterSets == sets, "the parameter sets stay")
    Fuzzing.require(again.sequence == format.sequence, "the sequence stays")
    guard let record = again.hvcCBytes, let read = try? FormatDescription(hvcC: record) else {
        fatalError("a format description cannot be read from its own record")
    }
    Fuzzing.require(read == again && read.hashValue == again.hashValue, "a record gives an equal description")
    Fuzzing.require(format.avcC == nil && format.codec == FormatDescription.hevc, "it is H.265's")
    _ = format.description
}
