/// Parameter sets: parsed values are in their ranges. An edited SPS contains the requested values and is otherwise
/// unchanged.
func fuzzParameterSet(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let unit = unsafe Fuzzing.input(data, size)
    if let pps = unsafe try? PictureParameterSet(parsing: unit) {
        Fuzzing.require((-36...51).contains(pps.initialQP), "the QP is in its range")
    }
    let sps: SequenceParameterSet
    do throws(NaluError) {
        sps = unsafe try SequenceParameterSet(parsing: unit)
    } catch {
        Fuzzing.require(error.status == .badData || error.status == .unsupportedDataFormat, "the status is promised")
        return 0
    }
    let limit = SequenceParameterSet.maximumDimension
    Fuzzing.require((1...limit).contains(sps.width) && (1...limit).contains(sps.height), "the size is in its range")
    Fuzzing.require((0...16).contains(sps.reorderDepth ?? 0), "the reorder depth is in its range")

    let original = unsafe [UInt8](unit)
    guard let same = try? SequenceParameterSetEditor.edit(original) else {
        fatalError("a sound SPS cannot be edited")
    }
    Fuzzing.require(same == original, "an edit that changes nothing changes no byte")
    let timing = SequenceParameterSetEditor.Timing.set(unitsInTick: 0x100, timeScale: 0x3_0000, isFixed: true)
    if let edited = try? SequenceParameterSetEditor.edit(original, timing: timing),
        let again = try? SequenceParameterSet(parsing: edited)
    {
        var expected = sps
        expected.unitsInTick = 0x100
        expected.timeScale = 0x3_0000
        expected.hasFixedFrameRate = true
        Fuzzing.require(again == expected, "an edit changes the timing and nothing else")
    } else {
        Fuzzing.require(original.count > 40_000, "only an SPS that is too long cannot be edited")
    }
    if let removed = try? SequenceParameterSetEditor.edit(original, timing: .removed, addingConstraintFlags: 0x04) {
        guard let again = try? SequenceParameterSet(parsing: removed) else {
            fatalError("an SPS without timing cannot be read")
        }
        Fuzzing.require(again.timeScale == 0 && again.constraintFlags == sps.constraintFlags | 4, "timing is removed")
    }
    requireCompletion(of: original, sps)
    return 0
}

/// The values of a container are added to an SPS that lacks them, and nothing else changes.
private func requireCompletion(of original: [UInt8], _ sps: SequenceParameterSet) {
    var container = ContainerSignal()
    (container.aspectHorizontal, container.aspectVertical) = (40, 33)
    container.isFullRange = true
    (container.colorPrimaries, container.transferCharacteristics, container.matrixCoefficients) = (9, 16, 9)
    container.chromaLocation = 2
    guard let again = try? SequenceParameterSet(parsing: container.completing(original, codec: .h264)) else {
        fatalError("an SPS with the values of a container cannot be read")
    }
    var expected = sps
    if again != sps {
        (expected.pixelAspectRatioHorizontal, expected.pixelAspectRatioVertical) = (
            again.pixelAspectRatioHorizontal, again.pixelAspectRatioVertical
        )
        expected.isFullRange = again.isFullRange
        expected.chromaLocation = again.chromaLocation
        if sps.colorPrimaries == 2 { expected.colorPrimaries = 9 }
        if sps.transferCharacteristics == 2 { expected.transferCharacteristics = 16 }
        if sps.matrixCoefficients == 2 { expected.matrixCoefficients = 9 }
    }
    Fuzzing.require(again == expected, "only what the SPS leaves unspecified changes")
}
