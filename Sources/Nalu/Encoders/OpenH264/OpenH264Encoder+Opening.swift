internal import COpenH264

/// The parameter sets of an encoder that is being opened.
extension OpenH264Encoder {
    static func readParameterSets(
        _ encoder: OpaquePointer, _ setup: EncoderSetup
    ) throws(NaluError) -> H264ParameterSets {
        var data: UnsafePointer<UInt8>?
        var size = 0
        guard unsafe nalu_openh264_parameter_sets(encoder, &data, &size) == 0 else {
            throw unsafe failure(encoder, "OpenH264 returned no parameter sets")
        }
        // The NAL units have 4-byte length prefixes.
        let units = unsafe UnsafeRawBufferPointer(start: data, count: size)
        var sets: [[UInt8]] = []
        var offset = 0
        while let unit = unsafe try LengthPrefixed.next(in: units, lengthSize: 4, offset: &offset) {
            sets.append(unsafe [UInt8](unit))
        }
        return try H264ParameterSets(sets) { sequence throws(NaluError) in try edited(sequence, setup) }
    }

    /// Returns OpenH264's SPS with the level, the chroma location, the timing and the cropping of the session.
    private static func edited(_ bytes: [UInt8], _ setup: EncoderSetup) throws(NaluError) -> [UInt8] {
        let configuration = setup.configuration
        var timing: SequenceParameterSetEditor.Timing = .unchanged
        if let rate = configuration.live.rate.frameRate {
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
        let demand = H264Level.Demand(
            geometry: setup.geometry, frameRate: rate.assumedFrameRate.perSecond, references: 1,
            kilobitsPerSecond: rate.heldKilobits, cpbKilobits: 0)
        guard let fixed = setup.configuration.profileLevel?.levelIDC.flatMap(H264Level.level) else {
            return H264Level.lowest(demand, setup.configuration.profile, among: H264Level.all)
        }
        try fixed.check(demand, setup.configuration)
        let most = fixed.kilobitsPerSecond(setup.configuration.profile)
        guard rate.heldKilobits <= most else {
            throw NaluError(
                .conflict,
                "AverageBitRate \(rate.averageBitRate) is above the \(most * 1000) bits per second of ProfileLevel "
                    + "\"\(setup.configuration.effectiveProfileLevel.name)\"; use an AutoLevel")
        }
        return fixed
    }
}
