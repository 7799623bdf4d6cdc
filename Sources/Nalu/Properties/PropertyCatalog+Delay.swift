extension PropertyCatalog {
    /// The properties of delay and effort.
    static let delay: [PropertyInfo] = [
        .integer(
            .maxFrameDelayCount, .untilOpen, -1...250, \.maxFrameDelayCount, default: -1,
            "The most frames by which the encoder may delay its output. -1: no limit. 0: each frame is delivered "
                + "before its encode returns."),
        .optionalBool(
            .realTime, .untilOpen, \.realTime, "",
            "Whether frames arrive by the wall clock. True: no lookahead, no B-frames, and the preset veryfast unless "
                + "x264.preset is set."),
        .optionalInteger(
            .suggestedLookAheadFrameCount, .untilOpen, 0...250, \.suggestedLookAheadFrameCount,
            "How far the encoder looks ahead, in frames, at most MaxFrameDelayCount. Unset: as far as the preset does."),
        .optionalInteger(
            .maxLookAheadFrameCount, .untilOpen, 0...250, \.maxLookAheadFrameCount,
            "The most frames that the encoder looks ahead, with any preset. Unlike "
                + "SuggestedLookAheadFrameCount it excludes nothing. Unset: no limit."),
        .optionalBool(
            .prioritizeEncodingSpeedOverQuality, .untilOpen, \.prioritizeEncodingSpeedOverQuality, "",
            "True: the preset veryfast, or superfast with RealTime."),
        .optionalBool(
            .maximizePowerEfficiency, .untilOpen, \.maximizePowerEfficiency, "",
            "True: the encoder works in a single thread. Excludes RealTime."),
        .bool(
            .calculateMeanSquaredError, .untilOpen, \.calculateMeanSquaredError, default: false,
            "Whether each sample has quality metrics: mean squared error, PSNR and SSIM."),
        .bool(
            .realTimeGovernor, .live, \.live.governsSpeed, default: true,
            "With RealTime and ExpectedFrameRate: whether the analysis becomes cheaper while the machine is too slow "
                + "for the frame rate, and thorough again when it can."),
    ]
}
