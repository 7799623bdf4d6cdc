extension PropertyCatalog {
    /// Key frames, profile, slices and references.
    static let structure: [PropertyInfo] = [
        .integer(
            .maxKeyFrameInterval, .live, 0...2_147_483_647, \.live.keyFrames.maxInterval, default: 0,
            "The greatest distance from one key frame to the next, in frames. 1: key frames only. 0: the encoder "
                + "decides (250)."),
        .double(
            .maxKeyFrameIntervalDuration, .live, 0...86_400, \.live.keyFrames.maxDuration, default: 0,
            "The greatest time from one key frame to the next, in seconds of presentation time. 0: no limit."),
        .bool(
            .allowTemporalCompression, .live, \.live.keyFrames.allowTemporalCompression, default: true,
            "Whether frames may refer to other frames. False: key frames only."),
        .optionalBool(
            .allowFrameReordering, .untilOpen, \.allowFrameReordering, "true",
            "Whether the encoder may use B-frames, so that decode order differs from presentation order."),
        .bool(
            .allowOpenGOP, .untilOpen, \.allowOpenGOP, default: false,
            "Whether groups of pictures may be open. True: key frames after the first are recovery points, and "
                + "B-frames before them may refer across them."),
        .bool(
            .moreFramesBeforeStart, .untilOpen, \.moreFramesBeforeStart, default: false,
            "Whether the samples of another session precede those of this one in the same stream."),
        .bool(
            .moreFramesAfterEnd, .untilOpen, \.moreFramesAfterEnd, default: false,
            "Whether the samples of another session follow those of this one in the same stream."),
        PropertyInfo(
            .profileLevel, .string, .untilOpen, nil, ProfileLevel.all.map { $0.name }, ProfileLevel.highAuto.name,
            "The profile and level of the stream. An AutoLevel takes the lowest level that holds size, frame rate, "
                + "bit rate and reference frames.",
            get: { .string(($0.profileLevel ?? .highAuto).name) },
            set: { configuration, value, _ throws(NaluError) in
                if let name = value?.stringValue {
                    configuration.profileLevel = try ProfileLevel.named(name)
                } else {
                    configuration.profileLevel = nil
                }
            }),
        .choice(
            .h264EntropyMode, \.entropyMode, SessionConfiguration.EntropyMode.allCases,
            "CABAC where profile and preset have it",
            "The entropy coder."),
        .integer(
            .maxH264SliceBytes, .live, 0...16_777_216, \.live.rate.maxSliceBytes, default: 0,
            "The greatest size of a slice NAL unit in bytes, 0 (no limit) or at least 500. It can change while "
                + "encoding, but not from or to 0.",
            also: { value, info throws(NaluError) in
                if (1..<500).contains(value) {
                    throw info.outOfRange("\(value)", "0, or 500 to 16777216 bytes")
                }
            }),
        .bool(
            .allowMultipleSlices, .untilOpen, \.allowMultipleSlices, default: true,
            "Whether a frame may have several slices."),
        .integer(
            .referenceBufferCount, .untilOpen, 0...16, \.referenceBufferCount, default: 0,
            "The number of reference frames, max_num_ref_frames of the stream. 0: the encoder decides."),
    ]
}
