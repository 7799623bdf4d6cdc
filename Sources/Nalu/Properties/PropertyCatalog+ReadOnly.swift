extension PropertyCatalog {
    /// What can only be read.
    static let readOnly: [PropertyInfo] = [
        PropertyInfo(
            readOnly: .x264Effective, .string,
            "The parameters with which x264 runs, in the form of x264.params."),
        PropertyInfo(
            readOnly: .numberOfPendingFrames, .integer,
            "The number of accepted frames whose callback has not returned yet."),
        PropertyInfo(
            readOnly: .usingHardwareAcceleratedVideoEncoder, .bool,
            "Whether the encoder is hardware. False: x264 is software."),
        PropertyInfo(
            readOnly: .encoderID, .string,
            "The identifier of the encoder."),
        PropertyInfo(
            readOnly: .reorderDepth, .integer,
            "How many frames the decode order of a sample may differ from presentation order."),
        PropertyInfo(
            readOnly: .estimatedAverageBytesPerFrame, .integer,
            "The average size of a frame: the bit rate divided by 8 and by ExpectedFrameRate, if both are set and "
                + "Quality is not."),
        PropertyInfo(
            readOnly: .supportsBaseFrameQP, .bool,
            "Whether a frame may have a QP of its own, base_frame_qp_plus_1. True if x264.params has crf and no other "
                + "rate option."),
        PropertyInfo(
            readOnly: .governorStep, .integer,
            "How many steps NaluRealTimeGovernor has gone down. 0: as opened."),
        PropertyInfo(
            readOnly: .supportedPresetDictionaries, .string,
            "The presets, each with the properties that it sets, as text: HighQuality, Balanced, HighSpeed, "
                + "VideoConferencing."),
        PropertyInfo(
            readOnly: .governorStepCount, .integer,
            "How many steps NaluRealTimeGovernor can go down, at most 5; fewer with fast presets, 0 if nothing is "
                + "governed."),
        PropertyInfo(
            readOnly: .pixelBufferPoolIsShared, .bool,
            "Whether buffers of the session's pool are encoded without a copy."),
        PropertyInfo(
            readOnly: .videoEncoderPixelBufferAttributes, .string,
            "The frames that are encoded without a copy, as text: PixelFormatType, Width, Height, "
                + "BytesPerRowAlignment."
        ),
        PropertyInfo(
            readOnly: .recommendedParallelizationLimit, .integer,
            "How many sessions like this one, each with a part of a clip, fill the processors."),
        PropertyInfo(
            readOnly: .recommendedParallelizedSubdivisionMinimumFrameCount, .integer,
            "The least number of frames in a part of a clip: twice the longest distance between key frames."),
        PropertyInfo(
            readOnly: .recommendedParallelizedSubdivisionMinimumDuration, .double,
            "The same as a duration in seconds, by ExpectedFrameRate or MaxKeyFrameIntervalDuration."),
    ]
}
