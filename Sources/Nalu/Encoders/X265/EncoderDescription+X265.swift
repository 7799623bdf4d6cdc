private import CX265

extension EncoderDescription {
    static let x265 = EncoderDescription(
        id: "org.videolan.x265", name: "x265 build \(X265_BUILD)",
        traits: EncoderTraits(
            codec: .h265,
            // The encoder separates the chroma of two planes itself, because x265 reads three planes only.
            input: EncoderInput(formats: [
                .nv12, .nv12FullRange, .i420, .i420FullRange, .encoder10, .encoder10FullRange,
            ]),
            options: X265Configuration(), properties: PropertyCatalog.x265, lacking: lacking, followsRateAtOnce: true,
            presetKey: .x265Preset,
            presets: [.highQuality: "slow", .balanced: "medium", .highSpeed: "superfast"]),
        check: { () throws(NaluError) in try X265Library.check() },
        open: { setup throws(NaluError) in try X265Encoder(setup) })

    /// The properties that sessions with x265 do not have.
    private static let lacking: [UnsupportedProperty] = {
        let buffer = "the encoder has no VBV buffer that a client describes; use AverageBitRate with DataRateLimits"
        let chunks = "chunks of H.265 are not joined; encode the video in one session"
        let fields = "the encoder writes progressive frames only"
        let recovery = "x265 cannot encode a frame from chosen references; force a key frame"
        let layers = "x265's streams have one temporal layer"
        let governor = "x265 cannot make its analysis cheaper while it runs; use x265.preset"
        return [
            UnsupportedProperty(
                .constantBitRate, "the encoder writes no filler data; use AverageBitRate with DataRateLimits"),
            UnsupportedProperty(.variableBitRate, buffer), UnsupportedProperty(.vbvMaxBitRate, buffer),
            UnsupportedProperty(.vbvBufferDuration, buffer), UnsupportedProperty(.vbvInitialDelayPercentage, buffer),
            UnsupportedProperty(.sourceFrameCount, "the encoder does not plan the bits of an entire video"),
            UnsupportedProperty(.expectedDuration, "the encoder does not plan the bits of an entire video"),
            UnsupportedProperty(.allowOpenGOP, "every group of pictures is closed, so that each key frame is IDR"),
            UnsupportedProperty(.moreFramesBeforeStart, chunks), UnsupportedProperty(.moreFramesAfterEnd, chunks),
            UnsupportedProperty(.limitsOverSeams, chunks),
            UnsupportedProperty(.referenceBufferCount, "the preset determines the number of reference frames"),
            UnsupportedProperty(.cleanAperture, "x265 crops to even sizes only; crop the frames before encoding"),
            UnsupportedProperty(.fieldCount, fields), UnsupportedProperty(.fieldDetail, fields),
            UnsupportedProperty(.enableLTR, recovery), UnsupportedProperty(.allowIntraRefresh, recovery),
            UnsupportedProperty(.baseLayerFrameRateFraction, layers),
            UnsupportedProperty(.baseLayerBitRateFraction, layers),
            UnsupportedProperty(.realTimeGovernor, governor), UnsupportedProperty(.governorStep, governor),
            UnsupportedProperty(.governorStepCount, governor),
            UnsupportedProperty(
                .calculateMeanSquaredError, "x265 measures errors only if it also prints them; compare decoded frames"),
            UnsupportedProperty(.h264EntropyMode, "it is a property of H.264; H.265 always has CABAC"),
            UnsupportedProperty(.maxH264SliceBytes, "it is a property of H.264; x265 does not limit slices"),
        ]
    }()
}
