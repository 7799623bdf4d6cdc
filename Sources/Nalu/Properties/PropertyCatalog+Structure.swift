extension PropertyCatalog {
    /// The properties of key frames, slices and references.
    static let structure: [PropertyInfo] = [
        .integer(
            .maxKeyFrameInterval, .live, 0...2_147_483_647, \.live.keyFrames.maxInterval, default: 0,
            "The greatest distance from one key frame to the next, in frames. 1: key frames only. 0: the encoder "
                + "decides: 250, or no limit with EnableLTR or NaluAllowIntraRefresh."),
        .double(
            .maxKeyFrameIntervalDuration, .live, 0...86_400, \.live.keyFrames.maxDuration, default: 0,
            "The greatest time from one key frame to the next, in seconds of presentation time. 0: no limit."),
        .bool(
            .allowTemporalCompression, .live, \.live.keyFrames.allowTemporalCompression, default: true,
            "Whether frames may refer to other frames. False: key frames only."),
        .optionalBool(
            .allowFrameReordering, .untilOpen, \.allowFrameReordering, "true",
            "Whether the encoder may use B-frames, so that decode order differs from presentation order."
        ).reading { .bool($0.encoder.map { $0.reorderDepth > 0 } ?? $0.configuration.reordersFrames) },
        .bool(
            .allowBPyramid, .untilOpen, \.allowBPyramid, default: true,
            "Whether B-frames may refer to other B-frames. False: the reorder depth is at most 1. A b-pyramid in "
                + "x264.params overrides the property."),
        .bool(
            .allowOpenGOP, .untilOpen, \.allowOpenGOP, default: false,
            "Whether groups of pictures may be open. True: intervals and scene cuts cause recovery points in place of "
                + "key frames, and B-frames presented before one may refer to earlier frames."
        ).reading { facts in
            .bool(
                facts.encoder.map { $0.reorderDepth > 0 && facts.configuration.allowOpenGOP }
                    ?? facts.configuration.opensGOPs)
        },
        .bool(
            .moreFramesBeforeStart, .untilOpen, \.moreFramesBeforeStart, default: false,
            "Whether the samples of another session precede those of this one in the same stream."),
        .bool(
            .moreFramesAfterEnd, .untilOpen, \.moreFramesAfterEnd, default: false,
            "Whether the samples of another session follow those of this one in the same stream."),
        .bool(
            .limitsOverSeams, .untilOpen, \.limitsOverSeams, default: true,
            "Whether DataRateLimits hold in windows that reach into another chunk. False: a joiner must check these "
                + "windows."),
        .bool(
            .allowMultipleSlices, .untilOpen, \.allowMultipleSlices, default: true,
            "Whether a frame may have several slices."),
        .integer(
            .referenceBufferCount, .untilOpen, 0...16, \.referenceBufferCount, default: 0,
            "The number of reference frames, max_num_ref_frames of the stream. 0: the encoder decides."),
    ]
}
