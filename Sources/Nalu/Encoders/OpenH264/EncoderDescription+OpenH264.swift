private import COpenH264

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

/// The limits of OpenH264: those of H.264 up to level 5.2.
struct OpenH264Limits: CodecLimits {
    /// The side of a macroblock.
    let leastSide = 16
    /// Nil, because OpenH264 does not encode fields.
    let interlacedLevels: ClosedRange<Int>? = nil
    /// The highest level.
    static let most = 52

    private let standard = H264Limits()

    func kilobitsPerSecond(level: Int, _ profile: CodecProfile) -> Int? {
        standard.kilobitsPerSecond(level: level, profile)
    }

    func check(width: Int, height: Int) throws(NaluError) {
        let (wide, high) = ((width + 15) / 16, (height + 15) / 16)
        guard let level = H264Level.level(Self.most), !level.holds(macroblocksWide: wide, high: high) else { return }
        throw NaluError(
            .invalidSize,
            "\(width)x\(height) has \(wide)x\(high) macroblocks; expected at most \(level.maxMacroblocksPerFrame), and at "
                + "most 543 at each side, those of level 5.2, the highest one of OpenH264")
    }

    func check(_ configuration: SessionConfiguration, _ geometry: PictureGeometry) throws(NaluError) {
        try standard.check(configuration, geometry)
    }

    func checkRate(_ configuration: SessionConfiguration) throws(NaluError) {
        try standard.checkRate(configuration)
    }
}

/// The effects of OpenH264 on a session's properties. OpenH264 has no properties of its own.
struct OpenH264Options: EncoderOptions {
    /// OpenH264 returns each picture at once.
    var settingWithoutDelay: String? { "the encoder OpenH264" }
    var summary: String { "the encoder OpenH264" }

    /// Throws for values that OpenH264 does not support, of properties that it supports.
    func checkConflicts(with configuration: SessionConfiguration) throws(NaluError) {
        let mostRate = Int(NALU_OPENH264_MAX_BIT_RATE)
        let rate = configuration.live.rate.averageBitRate
        guard rate <= mostRate else {
            throw NaluError(
                .conflict, "AverageBitRate is \(rate); expected at most \(mostRate) bits per second with OpenH264")
        }
        let fraction = configuration.baseLayerFrameRateFraction
        guard fraction >= 0.5 else {
            throw NaluError(
                .conflict,
                "BaseLayerFrameRateFraction is \(fraction); expected 0.5 or 1 with OpenH264, whose third temporal layer "
                    + "refers to the second one")
        }
        let leastMost = NoiseFloor(hasSlices: configuration.allowMultipleSlices).highest
        if let most = configuration.live.qpBounds.most, most < leastMost {
            throw NaluError(
                .conflict,
                "MaxAllowedFrameQP is \(most); expected \(leastMost) to 51 with OpenH264"
                    + (configuration.allowMultipleSlices ? "" : " and NaluAllowMultipleSlices false")
                    + ", because a picture of noise with a lower QP does not fit into its buffer")
        }
    }
}

extension PropertyCatalog {
    /// The properties that OpenH264 does not have.
    static let lackingInOpenH264 = refusedByOpenH264 + alwaysFalseInOpenH264 + progressiveInOpenH264

    private static let refusedByOpenH264 = UnsupportedProperty.list([
        ([.constantBitRate], "OpenH264 has no constant bit rate; use AverageBitRate and DataRateLimits"),
        (
            [.variableBitRate, .vbvMaxBitRate, .vbvBufferDuration, .vbvInitialDelayPercentage],
            "OpenH264 has no VBV buffer; use AverageBitRate and DataRateLimits"
        ),
        ([.constantQualityFactor], "OpenH264 has no constant visual quality; use Quality"),
        ([.spatialAdaptiveQPLevel], "OpenH264's QP does not adapt to the picture"),
        ([.suggestedLookAheadFrameCount, .maxLookAheadFrameCount], "OpenH264 encodes each frame without lookahead"),
        ([.allowBPyramid], "OpenH264 writes no B-frames"),
        ([.referenceBufferCount], "OpenH264 always has one reference frame"),
        ([.maxH264SliceBytes], "OpenH264 exceeds its limit of a slice if macroblocks are large"),
        ([.outputBitDepth], "OpenH264 encodes 8 bits only"),
        (
            [.masteringDisplayColorVolume, .contentLightLevelInfo, .hdrMetadataInsertionMode, "ViewPackingKind"],
            "OpenH264 writes no SEI messages"
        ),
        ([.fieldDetail], "OpenH264 encodes progressive frames only"),
        ([.baseLayerBitRateFraction], "OpenH264 divides the bits between the temporal layers itself"),
    ])

    /// The properties whose value `false` describes what OpenH264 does.
    private static let alwaysFalseInOpenH264 = UnsupportedProperty.list(
        off: false,
        [
            ([.calculateMeanSquaredError], "OpenH264 does not return the decoded picture"),
            (
                [.enableLTR],
                "OpenH264 refers to acknowledged frames by a protocol of its own between encoder and decoder"
            ),
            ([.allowIntraRefresh], "OpenH264 has no intra refresh"),
        ])

    private static let progressiveInOpenH264 = UnsupportedProperty.list(
        off: 1, [([.fieldCount], "OpenH264 encodes progressive frames only")])
}
