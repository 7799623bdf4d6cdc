extension EncoderDescription {
    /// OpenH264 2.3 or newer. The library is loaded when the first session opens its encoder.
    static let openH264 = EncoderDescription(
        id: "org.openh264.openh264", name: "OpenH264",
        traits: EncoderTraits(
            codec: .openH264, input: EncoderInput(formats: [.i420, .i420FullRange]),
            options: OpenH264Options(), lacking: PropertyCatalog.lackingInOpenH264,
            presetKey: .prioritizeEncodingSpeedOverQuality, presets: [.highSpeed: true]),
        open: { setup throws(NaluError) in try OpenH264Encoder(setup) })
}

extension Codec {
    /// H.264 as far as OpenH264 has it: up to level 5.2, with 8 bits.
    static let openH264 = Codec(
        code: h264.code, constantPrefix: h264.constantPrefix, profileLevels: h264.profileLevels,
        refusedProfileLevels: h264.refusedProfileLevels, usualProfileLevel: h264.usualProfileLevel, tenBitProfiles: [:],
        limits: OpenH264Limits(), properties: h264.properties)
}

extension PropertyCatalog {
    /// The properties that OpenH264 does not have.
    static let lackingInOpenH264: [UnsupportedProperty] = {
        func rows(_ keys: [PropertyKey], _ reason: String) -> [UnsupportedProperty] {
            keys.map { UnsupportedProperty($0, reason) }
        }
        return rows([.constantBitRate], "OpenH264 has no constant bit rate; use AverageBitRate and DataRateLimits")
            + rows(
                [.variableBitRate, .vbvMaxBitRate, .vbvBufferDuration, .vbvInitialDelayPercentage],
                "OpenH264 has no VBV buffer; use AverageBitRate and DataRateLimits")
            + rows([.constantQualityFactor], "OpenH264 has no constant visual quality; use Quality")
            + rows([.spatialAdaptiveQPLevel], "OpenH264's QP does not adapt to the picture")
            + rows(
                [.suggestedLookAheadFrameCount, .maxLookAheadFrameCount],
                "OpenH264 encodes each frame without lookahead")
            + rows([.allowBPyramid], "OpenH264 writes no B-frames")
            + rows([.referenceBufferCount], "OpenH264 always has one reference frame")
            + rows([.maxH264SliceBytes], "OpenH264 exceeds its limit of a slice if macroblocks are large")
            + rows([.calculateMeanSquaredError], "OpenH264 does not return the decoded picture")
            + rows([.outputBitDepth], "OpenH264 encodes 8 bits only")
            + rows(
                [.masteringDisplayColorVolume, .contentLightLevelInfo, .hdrMetadataInsertionMode],
                "OpenH264 writes no SEI messages")
            + rows([.fieldCount, .fieldDetail], "OpenH264 encodes progressive frames only")
            + rows(
                [.enableLTR],
                "OpenH264 refers to acknowledged frames by a protocol of its own between encoder and decoder")
            + rows([.allowIntraRefresh], "OpenH264 has no intra refresh")
            + rows([.baseLayerBitRateFraction], "OpenH264 divides the bits between the temporal layers itself")
    }()
}
