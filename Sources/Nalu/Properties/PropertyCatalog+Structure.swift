extension PropertyCatalog {
    /// Key frames, profile, slices and references.
    static let structure: [PropertyInfo] = [
        .integer(
            .maxKeyFrameInterval, .live, 0...2_147_483_647, \.live.keyFrames.maxInterval, default: 0,
            "The most frames from one key frame to the next; 1: key frames only; 0: the encoder decides (250)."),
        .double(
            .maxKeyFrameIntervalDuration, .live, 0...86_400, \.live.keyFrames.maxDuration, default: 0,
            "The most seconds, by presentation times, from one key frame to the next; 0: no limit."),
        .bool(
            .allowTemporalCompression, .live, \.live.keyFrames.allowTemporalCompression, default: true,
            "False: key frames only."),
        .optionalBool(
            .allowFrameReordering, .untilOpen, \.allowFrameReordering, "true",
            "False: no B-frames. Default true where profile and delay allow."),
        .bool(
            .allowOpenGOP, .untilOpen, \.allowOpenGOP, default: false,
            "True: key frames after the first are recovery points, which frames shown before them may refer across."),
        .bool(
            .moreFramesBeforeStart, .untilOpen, \.moreFramesBeforeStart, default: false,
            "True: the samples of another session precede those of this one in the same stream."),
        .bool(
            .moreFramesAfterEnd, .untilOpen, \.moreFramesAfterEnd, default: false,
            "True: the samples of another session follow those of this one in the same stream."),
        PropertyInfo(
            .profileLevel, .string, .untilOpen, nil, ProfileLevel.all.map { $0.name }, ProfileLevel.highAuto.name,
            "Profile and level. An AutoLevel takes the lowest that holds size, frame rate, bit rate and references.",
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
            "The most bytes in one slice NAL unit, 0 (no limit) or at least 500. Live when it was not 0 at the start.",
            also: { value, info throws(NaluError) in
                if (1..<500).contains(value) {
                    throw info.outOfRange("\(value)", "0, or 500 to 16777216 bytes")
                }
            }),
        .bool(
            .allowMultipleSlices, .untilOpen, \.allowMultipleSlices, default: true, "False: one slice a frame."),
        .integer(
            .referenceBufferCount, .untilOpen, 0...16, \.referenceBufferCount, default: 0,
            "How many frames the encoder refers to, the max_num_ref_frames of the stream. 0: the encoder decides."),
    ]
}
