extension PropertyCatalog {
    /// What a session may hold back and spend.
    static let delay: [PropertyInfo] = [
        .integer(
            .maxFrameDelayCount, .untilOpen, -1...250, \.maxFrameDelayCount, default: -1,
            "Before encode of frame N returns, frame N - M has come back. -1: no limit. 0: each frame at once."),
        .optionalBool(
            .realTime, .untilOpen, \.realTime, "",
            "True: frames follow the wall clock: no lookahead, no B-frames, preset veryfast unless set."),
        .optionalInteger(
            .suggestedLookAheadFrameCount, .untilOpen, 0...250, \.suggestedLookAheadFrameCount,
            "How many frames the encoder looks ahead, at most MaxFrameDelayCount. Unset: as many as the preset has."),
        .optionalBool(
            .prioritizeEncodingSpeedOverQuality, .untilOpen, \.prioritizeEncodingSpeedOverQuality, "",
            "True: the preset veryfast, or superfast with RealTime."),
        .optionalBool(
            .maximizePowerEfficiency, .untilOpen, \.maximizePowerEfficiency, "",
            "True: the encoder works in one thread. Not with RealTime."),
        .bool(
            .calculateMeanSquaredError, .untilOpen, \.calculateMeanSquaredError, default: false,
            "True: each sample has its mean squared error, PSNR and SSIM."),
        .bool(
            .realTimeGovernor, .live, \.live.governsSpeed, default: true,
            "With RealTime and ExpectedFrameRate. True: where frames take longer to encode than there is time, the encoder's "
                + "analysis becomes cheaper, and thorough again when it can. False: it stays as it was opened."),
    ]
}
