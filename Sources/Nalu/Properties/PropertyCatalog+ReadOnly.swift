extension PropertyCatalog {
    /// What can only be read.
    static let readOnly: [PropertyInfo] = [
        PropertyInfo(
            readOnly: .x264Effective, .string, "The parameters that x264 runs with, in the form of x264.params."),
        PropertyInfo(
            readOnly: .numberOfPendingFrames, .integer, "Frames accepted whose callback has not returned yet."),
        PropertyInfo(readOnly: .usingHardwareAcceleratedVideoEncoder, .bool, "False: x264 is software."),
        PropertyInfo(readOnly: .encoderID, .string, "The encoder's identifier."),
        PropertyInfo(
            readOnly: .reorderDepth, .integer,
            "How many frames a sample's decode order may differ from presentation order."),
        PropertyInfo(
            readOnly: .estimatedAverageBytesPerFrame, .integer,
            "AverageBitRate through 8 and through ExpectedFrameRate, where both are set and Quality is not."),
        PropertyInfo(
            readOnly: .supportsBaseFrameQP, .bool,
            "True where x264.params has crf and no other rate option: frames may bring a QP, base_frame_qp_plus_1."),
        PropertyInfo(
            readOnly: .governorStep, .integer,
            "How many steps NaluRealTimeGovernor has taken down: 0 is as opened, 5 the most, fewer with fast presets."),
        PropertyInfo(
            readOnly: .supportedPresetDictionaries, .string,
            "Sets of properties to begin from, as text: HighQuality, Balanced, HighSpeed, VideoConferencing."),
        PropertyInfo(
            readOnly: .governorStepCount, .integer,
            "How many steps down NaluRealTimeGovernor has; 0 where it does not govern."),
        PropertyInfo(
            readOnly: .pixelBufferPoolIsShared, .bool,
            "True where buffers of the session's pool are encoded as they are, without a copy."),
        PropertyInfo(
            readOnly: .videoEncoderPixelBufferAttributes, .string,
            "The frames that are encoded without a copy, as text: PixelFormatType, Width, Height, BytesPerRowAlignment."
        ),
        PropertyInfo(
            readOnly: .recommendedParallelizationLimit, .integer,
            "How many sessions like this one at the same time fill the machine's processors."),
        PropertyInfo(
            readOnly: .recommendedParallelizedSubdivisionMinimumFrameCount, .integer,
            "The least frames that a part of a clip had better have: two groups of pictures."),
        PropertyInfo(
            readOnly: .recommendedParallelizedSubdivisionMinimumDuration, .double,
            "The same in seconds, where ExpectedFrameRate or MaxKeyFrameIntervalDuration tells it."),
    ]
}
