private import CX265

extension EncoderDescription {
    static let x265 = EncoderDescription(
        id: "org.videolan.x265", name: "x265 build \(X265_BUILD)",
        traits: EncoderTraits(
            // x265 reads three planes only: the encoder separates the chroma of two planes itself.
            codec: .h265, input: .eightAndTenBits, options: X265Configuration(), properties: PropertyCatalog.x265,
            lacking: lacking + alwaysFalse + oneValue,
            followsRateAtOnce: true, presetKey: .x265Preset,
            presets: [.highQuality: "slow", .balanced: "medium", .highSpeed: "superfast"]),
        check: { () throws(NaluError) in try X265Library.check() },
        open: { setup throws(NaluError) in try X265Encoder(setup) })

    /// The properties that sessions with x265 do not have.
    private static let lacking = UnsupportedProperty.list([
        ([.constantBitRate], "the encoder writes no filler data; use AverageBitRate with DataRateLimits"),
        (
            [.variableBitRate, .vbvMaxBitRate, .vbvBufferDuration, .vbvInitialDelayPercentage],
            "the encoder has no VBV buffer that a client describes; use AverageBitRate with DataRateLimits"
        ),
        ([.sourceFrameCount, .expectedDuration], "the encoder does not plan the bits of an entire video"),
        ([.limitsOverSeams], notJoined),
        ([.referenceBufferCount], "the preset determines the number of reference frames"),
        ([.fieldDetail], progressive),
        ([.baseLayerFrameRateFraction, .baseLayerBitRateFraction], "x265's streams have one temporal layer"),
        (
            [.realTimeGovernor, .governorStep, .governorStepCount],
            "x265 cannot make its analysis cheaper while it runs; use x265.preset"
        ),
        ([.h264EntropyMode], "it is a property of H.264; H.265 always has CABAC"),
        ([.maxH264SliceBytes], "it is a property of H.264; x265 does not limit slices"),
        (
            ["ViewPackingKind"],
            "x265 writes no frame packing message; encode with x264, or name the views in the container"
        ),
    ])

    /// The properties whose value `false` describes what x265 does.
    private static let alwaysFalse = UnsupportedProperty.list(
        off: false,
        [
            ([.allowOpenGOP], "every group of pictures is closed, so that each key frame is IDR"),
            ([.moreFramesBeforeStart, .moreFramesAfterEnd], notJoined),
            (
                [.enableLTR, .allowIntraRefresh],
                "x265 cannot encode a frame from chosen references; force a key frame"
            ),
            ([.calculateMeanSquaredError], "x265 measures errors only if it also prints them; compare decoded frames"),
        ])

    /// The properties with another value that describes what x265 does.
    private static let oneValue =
        UnsupportedProperty.list(off: 1, [([.fieldCount], progressive)])
        + UnsupportedProperty.list(
            off: .numbers([]), [([.cleanAperture], "x265 crops to even sizes only; crop the frames before encoding")])

    private static let notJoined = "chunks of H.265 are not joined; encode the video in one session"
    private static let progressive = "the encoder writes progressive frames only"
}

extension PropertyCatalog {
    /// The properties of x265 alone.
    static let x265: [PropertyInfo] = [
        .preset(
            .x265Preset, of: "x265", \.x265.preset, unsafe CText.list(nalu_x265_preset_name),
            "medium, or superfast with RealTime", derived: { $0.derivedX265Preset }),
        PropertyInfo(
            readOnly: .x265Effective, .string, "The parameters that x265 uses, as \"name=value:name=value\"."
        ) { $0.effectiveParameters.map { .string($0) } },
    ]
}

/// The part of a session's configuration for x265 alone: the properties `x265.…`.
struct X265Configuration: EncoderOptions {
    var preset: String?

    var adviceForFrameQP: String { "unset AverageBitRate and DataRateLimits, so that the encoder holds a quality" }
    var summary: String { "x265.preset \"\(preset ?? "")\"" }
    var leastDelayForReordering: Int { 8 }

    func leavesQPToFrames(in configuration: SessionConfiguration) -> Bool {
        let rate = configuration.live.rate
        return rate.averageBitRate == 0 && rate.limits.isEmpty
    }

    /// Every preset of x265 has B-frames: the fastest one in a fixed pattern.
    func reordersFrames(where mayReorder: Bool) -> Bool { mayReorder }

    func checkConflicts(with configuration: SessionConfiguration) throws(NaluError) {
        try configuration.checkPreset(.x265Preset, preset, derived: configuration.derivedX265Preset)
    }
}

extension SessionConfiguration {
    /// The options of x265; none of them is set if the session has another encoder.
    var x265: X265Configuration {
        get { own as? X265Configuration ?? X265Configuration() }
        set { own = newValue }
    }

    /// The preset that is set, or the derived one.
    var x265Preset: String { x265.preset ?? derivedX265Preset }

    /// The preset if none is set.
    var derivedX265Preset: String {
        if realTime == true { return prioritizeEncodingSpeedOverQuality == true ? "ultrafast" : "superfast" }
        return prioritizeEncodingSpeedOverQuality == true ? "superfast" : "medium"
    }
}
