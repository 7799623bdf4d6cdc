extension PropertyCatalog {
    /// The properties that can only be read.
    static let readOnly: [PropertyInfo] = [
        PropertyInfo(
            readOnly: .numberOfPendingFrames, .integer,
            "The number of accepted frames whose callback has not returned yet."
        ) { .integer(Int64($0.pendingFrames)) },
        PropertyInfo(
            readOnly: .usingHardwareAcceleratedVideoEncoder, .bool,
            "Whether the encoder is a hardware encoder: false."
        ) { _ in .bool(false) },
        PropertyInfo(
            readOnly: .encoderID, .string,
            "The identifier of the encoder."
        ) { .string($0.encoderID.description) },
        PropertyInfo(
            readOnly: .reorderDepth, .integer,
            "The reorder depth: the number of frames by which decode order may differ from presentation order."
        ) { $0.encoder.map { .integer(Int64($0.reorderDepth)) } },
        PropertyInfo(
            readOnly: .estimatedAverageBytesPerFrame, .integer,
            "The average size of a frame in bytes: the bit rate divided by 8 and by ExpectedFrameRate, if both are "
                + "set and no quality is.",
            unavailable: "EstimatedAverageBytesPerFrame needs AverageBitRate and ExpectedFrameRate, and no Quality or "
                + "ConstantQualityFactor"
        ) { $0.configuration.averageBytesPerFrame.map { .integer($0) } },
        PropertyInfo(
            readOnly: .supportsBaseFrameQP, .bool,
            "Whether the client may set the QP of a frame, base_frame_qp_plus_1. True if x264.params has crf and no "
                + "other rate control option, and for H.265 without AverageBitRate and DataRateLimits."
        ) { .bool($0.configuration.own.leavesQPToFrames(in: $0.configuration)) },
        PropertyInfo(
            readOnly: .governorStep, .integer,
            "The number of steps that NaluRealTimeGovernor has gone down. 0: as opened."
        ) { .integer(Int64($0.governorStep)) },
        PropertyInfo(
            readOnly: .supportedPresetDictionaries, .string,
            "The presets, each with the properties that it sets, as text: HighQuality, Balanced, HighSpeed, "
                + "VideoConferencing."
        ) { .string(CompressionPreset.dictionariesText(of: $0.traits)) },
        PropertyInfo(
            readOnly: .governorStepCount, .integer,
            "The number of steps that NaluRealTimeGovernor can go down: at most 5, fewer with fast presets, 0 if the "
                + "governor is off."
        ) { facts in
            facts.encoder.map { .integer(facts.configuration.governs ? Int64($0.lastAnalysisStep) : 0) }
        },
        PropertyInfo(
            readOnly: .pixelBufferPoolIsShared, .bool,
            "Whether buffers of the session's pool are encoded without a copy."
        ) { $0.encoder.map { .bool($0.takesPoolBuffers) } },
        PropertyInfo(
            readOnly: .videoEncoderPixelBufferAttributes, .string,
            "The frames that are encoded without a copy, as text: PixelFormatType, Width, Height, "
                + "BytesPerRowAlignment."
        ) { .string($0.pixelBufferAttributes) },
        PropertyInfo(
            readOnly: .recommendedParallelizationLimit, .integer,
            "The number of sessions like this one, each with a chunk of a video, that fill the processors."
        ) { $0.encoder.map { .integer(Int64($0.recommendedParallelism)) } },
        PropertyInfo(
            readOnly: .recommendedParallelizedSubdivisionMinimumFrameCount, .integer,
            "The minimum number of frames in a chunk: twice the greatest distance between key frames."
        ) { $0.parallel.map { .integer(Int64($0.minimumFrameCount)) } },
        PropertyInfo(
            readOnly: .recommendedParallelizedSubdivisionMinimumDuration, .double,
            "The minimum duration of a chunk in seconds, derived from ExpectedFrameRate or "
                + "MaxKeyFrameIntervalDuration."
        ) { $0.parallel?.minimumDuration.map { .double($0) } },
    ]
}
