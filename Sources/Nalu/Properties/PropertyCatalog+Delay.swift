extension PropertyCatalog {
    /// The properties of delay and effort.
    static let delay: [PropertyInfo] = [
        .integer(
            .maxFrameDelayCount, .untilOpen, -1...250, \.maxFrameDelayCount, default: -1,
            "The maximum number of frames that the encoder may delay. -1: no limit. 0: each frame is delivered before "
                + "its encode returns."),
        .optionalBool(
            .realTime, .untilOpen, \.realTime, "",
            "Whether frames arrive in real time. True: no lookahead, no B-frames, and the preset veryfast unless "
                + "x264.preset is set."),
        .optionalInteger(
            .suggestedLookAheadFrameCount, .untilOpen, 0...250, \.suggestedLookAheadFrameCount,
            "The length of the encoder's lookahead in frames, at most MaxFrameDelayCount. Unset: the preset's value."),
        .optionalInteger(
            .maxLookAheadFrameCount, .untilOpen, 0...250, \.maxLookAheadFrameCount,
            "The maximum length of the encoder's lookahead in frames, with any preset. Unlike "
                + "SuggestedLookAheadFrameCount it excludes nothing. Unset: no limit."),
        .optionalBool(
            .prioritizeEncodingSpeedOverQuality, .untilOpen, \.prioritizeEncodingSpeedOverQuality, "",
            "Whether a faster preset is used: veryfast, or superfast with RealTime."),
        .optionalBool(
            .maximizePowerEfficiency, .untilOpen, \.maximizePowerEfficiency, "",
            "Whether the encoder uses a single thread. True excludes RealTime."),
        .bool(
            .calculateMeanSquaredError, .untilOpen, \.calculateMeanSquaredError, default: false,
            "Whether each sample has quality metrics: mean squared error, PSNR and SSIM."),
        .bool(
            .realTimeGovernor, .live, \.live.governsSpeed, default: true,
            "Whether the analysis becomes cheaper while the machine is too slow for the frame rate, and thorough "
                + "again afterwards. Needs RealTime and ExpectedFrameRate."),
    ]
}
