extension PropertyCatalog {
    /// Rate and quantisers.
    static let rate: [PropertyInfo] = [
        .integer(
            .averageBitRate, .live, 0...2_000_000_000, \.live.rate.averageBitRate, default: 0,
            "Bits a second, 0 or at least 1000. A long-term average, held near over a few seconds; with Quality set, a "
                + "ceiling. 0: the encoder decides (constant quality).",
            also: { value, info throws(NaluError) in
                if (1..<1000).contains(value) {
                    throw info.outOfRange("\(value)", "0, or 1000 to 2000000000 bits a second")
                }
            }),
        PropertyInfo(
            .dataRateLimits, .numbers, .live, 0...1e12, [], "",
            "Pairs of bytes and seconds, none, one or two. No window of that many seconds (0.05 to 60) holds more bytes: "
                + "frames that would pass a limit are dropped.",
            get: { configuration in
                let limits = configuration.live.rate.limits.all
                return limits.isEmpty ? nil : .numbers(limits.flatMap { [$0.bytes, $0.seconds] })
            },
            set: { configuration, value, info throws(NaluError) in
                let numbers = value?.numbersValue ?? []
                guard numbers.count.isMultiple(of: 2), numbers.count <= 4 else {
                    throw info.outOfRange("\(numbers.count) numbers", "0, 2 or 4: bytes and seconds in turn")
                }
                var limits: [DataRateLimit] = []
                for start in stride(from: 0, to: numbers.count, by: 2) {
                    let limit = DataRateLimit(bytes: numbers[start], seconds: numbers[start + 1])
                    guard (0.05...60).contains(limit.seconds) else {
                        throw info.outOfRange("[\(limit.bytes), \(limit.seconds)]", "0.05 to 60 seconds")
                    }
                    // The encoder counts whole kilobits, in rate and buffer.
                    guard limit.bytes >= max(1000, 1000 * limit.seconds) else {
                        throw info.outOfRange(
                            "[\(limit.bytes), \(limit.seconds)]", "at least 1000 bytes, and 1000 bytes a second")
                    }
                    limits.append(limit)
                }
                configuration.live.rate.limits = DataRateLimits(limits.first, limits.count > 1 ? limits[1] : nil)
            }),
        PropertyInfo(
            .quality, .double, .live, 0...1, [], "",
            "0.25 low, 0.5 normal, 0.75 high, 1 the finest that the profile allows. Unset with no bit rate means 0.5.",
            get: { $0.live.rate.quality.map { .double($0) } },
            set: { configuration, value, _ in configuration.live.rate.quality = value?.doubleValue }),
        .double(
            .expectedFrameRate, .live, 0...1000, \.live.rate.expectedFrameRate, default: 0,
            "Frames a second; 0: not known. Rate control starts from it and the stream's timing information tells it."),
        .optionalInteger(
            .maxAllowedFrameQP, .live, 0...51, \.live.quantisers.most,
            "No macroblock is quantised coarser, whatever the rate. Unset: the encoder's bound. A change while encoding "
                + "makes a key frame."),
        .optionalInteger(
            .minAllowedFrameQP, .live, 0...51, \.live.quantisers.least,
            "No macroblock is quantised finer. Unset: the encoder's bound. A change while encoding makes a key frame."),
        .integer(
            .spatialAdaptiveQPLevel, .untilOpen, -1...0, \.spatialAdaptiveQPLevel, default: -1,
            "-1: the quantiser follows how busy places of the picture are, as preset and tune say. 0: it does not."),
        .integer(
            .sourceFrameCount, .untilOpen, 0...2_147_483_647, \.sourceFrameCount, default: 0,
            "Frames of the whole clip; 0: not known. What is left of the bits of AverageBitRate is spent over what is left "
                + "of the clip."),
        .double(
            .expectedDuration, .untilOpen, 0...1e6, \.expectedDuration, default: 0,
            "Seconds of the whole clip; 0: not known. As SourceFrameCount; of both, what ends first."),
        .integer(
            .constantBitRate, .untilOpen, 0...800_000_000, \.constantBitRate, default: 0,
            "Bits a second, 0 or at least 64000. Every second of the stream has as many bits, filled up where the pictures "
                + "need fewer. Needs ExpectedFrameRate. 0: not asked for.",
            also: { value, info throws(NaluError) in
                if (1..<64000).contains(value) {
                    throw info.outOfRange("\(value)", "0, or 64000 to 800000000 bits a second")
                }
            }),
        .integer(
            .variableBitRate, .untilOpen, 0...800_000_000, \.variableBitRate, default: 0,
            "Bits a second, 0 or at least 1000: a long-term average within the bucket of the VBV properties. 0: not asked "
                + "for.",
            also: { value, info throws(NaluError) in
                if (1..<1000).contains(value) {
                    throw info.outOfRange("\(value)", "0, or 1000 to 800000000 bits a second")
                }
            }),
        .integer(
            .vbvMaxBitRate, .live, 0...800_000_000, \.live.rate.vbvMaxBitRate, default: 0,
            "With VariableBitRate: the bits a second that flow into the bucket, 0 or at least VariableBitRate. 0: twice "
                + "that."),
        .double(
            .vbvBufferDuration, .live, 0.1...60, \.live.rate.vbvBufferDuration, default: 2.5,
            "With VariableBitRate: what the bucket holds, in seconds of VBVMaxBitRate."),
        .double(
            .vbvInitialDelayPercentage, .untilOpen, 0...100, \.vbvInitialDelayPercentage, default: 90,
            "With VariableBitRate: how full the bucket is at the first frame, in percent."),
    ]
}
