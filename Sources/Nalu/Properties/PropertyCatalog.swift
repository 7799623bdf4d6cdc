private import CX264

/// Every property there is, one row each. The C face, the introspection and the generated documentation read it.
public enum PropertyCatalog {
    public static let all: [PropertyInfo] = rate + structure + delay + appearance + encoder + readOnly

    private static let index: [String: Int] = Dictionary(
        all.enumerated().map { ($1.key.rawValue, $0) }, uniquingKeysWith: { first, _ in first })

    public static func info(_ key: PropertyKey) -> PropertyInfo? {
        index[key.rawValue].map { all[$0] }
    }

    static func require(_ key: PropertyKey) throws(NaluError) -> PropertyInfo {
        guard let info = info(key) else { throw notSupported(key) }
        return info
    }

    // MARK: Rows

    private static let rate: [PropertyInfo] = [
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
            "Pairs of bytes and seconds, none, one or two. No window of that many seconds (0.05 to 60) holds more bytes.",
            get: { configuration in
                let limits = configuration.live.rate.limits
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
                configuration.live.rate.firstLimit = limits.first
                configuration.live.rate.secondLimit = limits.count > 1 ? limits[1] : nil
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
            .maxAllowedFrameQP, .untilOpen, 0...51, \.maxAllowedFrameQP,
            "No macroblock is quantised coarser, whatever the rate. Unset: the encoder's bound."),
        .optionalInteger(
            .minAllowedFrameQP, .untilOpen, 0...51, \.minAllowedFrameQP,
            "No macroblock is quantised finer. Unset: the encoder's bound."),
        .integer(
            .spatialAdaptiveQPLevel, .untilOpen, -1...0, \.spatialAdaptiveQPLevel, default: -1,
            "-1: the quantiser follows how busy places of the picture are, as preset and tune say. 0: it does not."),
    ]

    private static let structure: [PropertyInfo] = [
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

    private static let delay: [PropertyInfo] = [
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
    ]

    private static let appearance: [PropertyInfo] = [
        .choice(
            .colorPrimaries, \.colorPrimaries, ColorPrimaries.allCases, "ITU_R_709_2 from 720 lines on, else SMPTE_C",
            "Colour primaries, written to the VUI."),
        .choice(
            .transferFunction, \.transferFunction, TransferFunction.allCases, "ITU_R_709_2",
            "Transfer function, written to the VUI."),
        .choice(
            .yCbCrMatrix, \.yCbCrMatrix, ColorMatrix.allCases, "ITU_R_709_2 from 720 lines on, else ITU_R_601_4",
            "Matrix between RGB and YCbCr: converts RGB frames, and is written to the VUI."),
        PropertyInfo(
            .pixelAspectRatio, .numbers, .untilOpen, 1...65535, [], "",
            "Horizontal and vertical spacing of the pixels, whole numbers.",
            get: { $0.pixelAspectRatio.map { .numbers([Double($0.horizontal), Double($0.vertical)]) } },
            set: { configuration, value, info throws(NaluError) in
                guard let numbers = value?.numbersValue, !numbers.isEmpty else {
                    configuration.pixelAspectRatio = nil
                    return
                }
                guard numbers.count == 2, let horizontal = Int(exactly: numbers[0]),
                    let vertical = Int(exactly: numbers[1])
                else {
                    throw info.outOfRange(value?.text ?? "", "two whole numbers, 1 to 65535 each")
                }
                configuration.pixelAspectRatio = .init(horizontal: horizontal, vertical: vertical)
            }),
        .bool(
            .allowScaling, .live, \.allowScaling, default: true,
            "True: frames of another size than the session's are scaled. False: they are refused."),
    ]

    private static let encoder: [PropertyInfo] = [
        PropertyInfo(
            .x264Preset, .string, .untilOpen, nil, presets, "medium, or veryfast with RealTime",
            "x264's preset. The default is faster with PrioritizeEncodingSpeedOverQuality.",
            get: { $0.x264Preset.map { .string($0) } },
            set: { configuration, value, _ in configuration.x264Preset = value?.stringValue }),
        PropertyInfo(
            .x264Tune, .string, .untilOpen, nil, [], "",
            "x264's tunes, separated by commas: " + tunes.joined(separator: ", ") + ".",
            get: { $0.x264Tune.map { .string($0) } },
            set: { configuration, value, info throws(NaluError) in
                configuration.x264Tune = value?.stringValue
                let known = tunes
                let psychovisual = Set(known).subtracting(["fastdecode", "zerolatency"])
                for tune in configuration.tunes where !known.contains(tune) {
                    throw info.outOfRange("\"\(NaluError.excerpt(tune))\"", "one of " + known.joined(separator: ", "))
                }
                if configuration.tunes.filter({ psychovisual.contains($0) }).count > 1 {
                    throw info.outOfRange(
                        value?.quoted ?? "unset", "at most one of " + psychovisual.sorted().joined(separator: ", "))
                }
            }),
        PropertyInfo(
            .x264Params, .string, .untilOpen, nil, [], "",
            "x264's options as \"name=value:name=value\", applied last.",
            get: { $0.x264Params.text.isEmpty ? nil : .string($0.x264Params.text) },
            set: { configuration, value, _ throws(NaluError) in
                configuration.x264Params = try X264Options(value?.stringValue ?? "")
            }),
    ]

    private static let readOnly: [PropertyInfo] = [
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
    ]

    private static let presets = unsafe names(nalu_x264_preset_name)
    private static let tunes = unsafe names(nalu_x264_tune_name)

    private static func names(_ name: (Int32) -> UnsafePointer<CChar>?) -> [String] {
        var names: [String] = []
        while let pointer = unsafe name(Int32(names.count)), unsafe pointer.pointee != 0 {
            unsafe names.append(String(cString: pointer))
        }
        return names
    }
}
