internal import COpenH264

/// The parameter sets of an encoder of OpenH264, with what OpenH264 does not write.
struct OpenH264ParameterSets {
    let format: FormatDescription
    let rewriter: SliceRewriter

    /// Reads the parameter sets, NAL units with 4-byte length prefixes.
    init(_ units: UnsafeRawBufferPointer, _ setup: EncoderSetup) throws(NaluError) {
        var sets: [[UInt8]] = []
        var source: SequenceParameterSet?
        var pictures: [PictureParameterSet] = []
        var offset = 0
        while let unit = unsafe try LengthPrefixed.next(in: units, lengthSize: 4, offset: &offset) {
            let bytes = unsafe [UInt8](unit)
            if unsafe NALUnitHeader(of: unit)?.type == .sequenceParameterSet {
                source = try SequenceParameterSet(parsing: bytes)
                sets.append(try Self.edited(bytes, setup))
            } else {
                pictures.append(try PictureParameterSet(parsing: bytes))
                sets.append(bytes)
            }
        }
        format = try FormatDescription(parameterSets: sets, lengthSize: 4)
        rewriter = SliceRewriter(
            sequence: source ?? format.sequence, pictures: pictures, frameNumberBits: format.sequence.frameNumberBits)
    }

    private static func edited(_ bytes: [UInt8], _ setup: EncoderSetup) throws(NaluError) -> [UInt8] {
        let configuration = setup.configuration
        var timing: SequenceParameterSetEditor.Timing = .unchanged
        if let rate = FrameRate(configuration.live.rate.expectedFrameRate) {
            timing = .set(unitsInTick: rate.denominator, timeScale: rate.numerator * 2, isFixed: false)
        }
        var result = try SequenceParameterSetEditor.edit(
            bytes, levelIDC: try level(setup).idc,
            chromaLocation: configuration.signal.chromaLocation(ofRGB: setup.chromaIsCentred, isInterlaced: false))
        result = try SequenceParameterSetEditor.edit(result, timing: timing)
        if let cropping = try configuration.picture.cleanAperture?.cropping(of: setup.geometry) {
            result = try SequenceParameterSetEditor.crop(
                result, left: cropping.left, right: cropping.right, top: cropping.top, bottom: cropping.bottom)
        }
        return result
    }

    /// Returns the level of the stream: the one that is set, or the lowest one that allows it.
    private static func level(_ setup: EncoderSetup) throws(NaluError) -> H264Level {
        let rate = setup.configuration.live.rate
        let kilobits = rate.heldQuality == nil ? (rate.averageBitRate + 999) / 1000 : 0
        let demand = H264Level.Demand(
            geometry: setup.geometry, frameRate: (FrameRate(rate.expectedFrameRate) ?? .assumed).perSecond,
            references: 1,
            kilobitsPerSecond: kilobits, cpbKilobits: 0)
        guard let fixed = setup.configuration.profileLevel?.levelIDC.flatMap(H264Level.level) else {
            return H264Level.lowest(demand, setup.configuration.profile, among: H264Level.all)
        }
        try fixed.check(demand, setup.configuration)
        let most = fixed.kilobitsPerSecond(setup.configuration.profile)
        guard kilobits <= most else {
            throw NaluError(
                .conflict,
                "AverageBitRate \(rate.averageBitRate) is above the \(most * 1000) bits per second of ProfileLevel "
                    + "\"\(setup.configuration.effectiveProfileLevel.name)\"; use an AutoLevel")
        }
        return fixed
    }
}
