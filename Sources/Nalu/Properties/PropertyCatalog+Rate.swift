extension PropertyCatalog {
    /// The properties of rate and QP.
    static let rate: [PropertyInfo] = [
        .integer(
            .averageBitRate, .live, 0...2_000_000_000, \.live.rate.averageBitRate, default: 0,
            "The long-term average bit rate in bits per second, 0 or at least 1000. With a quality it is a ceiling. "
                + "0: the encoder holds a constant quality.",
            also: { value, info throws(NaluError) in
                if (1..<1000).contains(value) {
                    throw info.outOfRange("\(value)", "0, or 1000 to 2000000000 bits per second")
                }
            }),
        PropertyInfo(
            .dataRateLimits, .numbers, .live, DataRateLimits.range, [], "",
            "Upper limits for the bytes in every window of time: one or two pairs of bytes and seconds (0.05 to 60). "
                + "A frame that exceeds a limit is dropped.",
            derived: { _ in .numbers([]) },
            get: { configuration in
                let limits = configuration.live.rate.limits.all
                return limits.isEmpty ? nil : .numbers(limits.flatMap { [$0.bytes, $0.seconds] })
            },
            set: { configuration, value, info throws(NaluError) in
                configuration.live.rate.limits = try DataRateLimits(
                    numbers: value?.numbersValue ?? [], refused: info.outOfRange)
            }),
        PropertyInfo(
            .quality, .double, .live, 0...1, [], "",
            "A constant quality: 0.25 low, 0.5 normal, 0.75 high, 1 the best that the profile allows. Without a "
                + "quality and a bit rate, it is 0.5.",
            get: { $0.live.rate.quality.map { .double($0) } },
            set: { configuration, value, _ in configuration.live.rate.quality = value?.doubleValue }),
        PropertyInfo(
            .constantQualityFactor, .double, .live, 0...1, [], "",
            "A consistent visual quality, on the scale of Quality. AverageBitRate and DataRateLimits are ceilings "
                + "together with it. Excludes Quality.",
            get: { $0.live.rate.constantQualityFactor.map { .double($0) } },
            set: { configuration, value, _ in configuration.live.rate.constantQualityFactor = value?.doubleValue }),
        .double(
            .expectedFrameRate, .live, 0...1000, \.live.rate.expectedFrameRate, default: 0,
            "The frame rate that the client expects to deliver, in frames per second; 0: not known. Rate control "
                + "starts from this rate, and the stream's timing information contains it."),
        .optionalInteger(
            .maxAllowedFrameQP, .live, 0...51, \.live.qpBounds.most,
            "The maximum QP of any macroblock, which overrides the rate. Unset: the encoder's bound. A change while "
                + "encoding causes a key frame."),
        .optionalInteger(
            .minAllowedFrameQP, .live, 0...51, \.live.qpBounds.least,
            "The minimum QP of any macroblock. Unset: the encoder's bound. A change while encoding causes a key "
                + "frame."),
        .integer(
            .spatialAdaptiveQPLevel, .untilOpen, -1...0, \.spatialAdaptiveQPLevel, default: -1,
            "Whether the QP adapts to the picture: lower in flat areas, higher in busy ones. -1: preset and tune "
                + "decide. 0: it does not."),
        .integer(
            .sourceFrameCount, .untilOpen, 0...2_147_483_647, \.sourceFrameCount, default: 0,
            "The number of frames in the whole video; 0: not known. The session distributes the remaining bits of "
                + "AverageBitRate over the rest of the video."),
        .double(
            .expectedDuration, .untilOpen, 0...1e6, \.expectedDuration, default: 0,
            "The duration of the whole video in seconds; 0: not known. If SourceFrameCount is set too, the shorter of "
                + "the two counts."),
        .integer(
            .constantBitRate, .untilOpen, 0...800_000_000, \.constantBitRate, default: 0,
            "A constant bit rate in bits per second, 0 or at least 64000, with filler data if pictures need fewer "
                + "bits. Needs ExpectedFrameRate. 0: off.",
            also: { value, info throws(NaluError) in
                if (1..<64000).contains(value) {
                    throw info.outOfRange("\(value)", "0, or 64000 to 800000000 bits per second")
                }
            }),
        .bool(
            .parameterSetsInStream, .untilOpen, \.parameterSetsInStream, default: false,
            "Whether the client writes the parameter sets before each key frame (Annex B, MPEG-TS), so that "
                + "ConstantBitRate, VariableBitRate and DataRateLimits count them."),
        .integer(
            .variableBitRate, .untilOpen, 0...800_000_000, \.variableBitRate, default: 0,
            "A long-term average in bits per second, 0 or at least 1000, within the VBV buffer that the VBV properties "
                + "describe. 0: off.",
            also: { value, info throws(NaluError) in
                if (1..<1000).contains(value) {
                    throw info.outOfRange("\(value)", "0, or 1000 to 800000000 bits per second")
                }
            }),
        .integer(
            .vbvMaxBitRate, .live, 0...800_000_000, \.live.rate.vbvMaxBitRate, default: 0,
            "The rate at which bits flow into the VBV buffer of VariableBitRate, in bits per second, 0 or at least "
                + "VariableBitRate. 0: twice VariableBitRate."),
        .double(
            .vbvBufferDuration, .live, 0.1...60, \.live.rate.vbvBufferDuration, default: 2.5,
            "The size of the VBV buffer of VariableBitRate, in seconds of VBVMaxBitRate."),
        .double(
            .vbvInitialDelayPercentage, .untilOpen, 0...100, \.vbvInitialDelayPercentage, default: 90,
            "The fullness of the VBV buffer of VariableBitRate at the first frame, in percent."),
    ]
}
