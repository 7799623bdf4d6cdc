extension Codec {
    static let h264 = Codec(
        code: EncoderRegistry.h264, constantPrefix: "H264_", profileLevels: ProfileLevel.h264,
        refusedProfileLevels: Dictionary(
            uniqueKeysWithValues: ["H264_Extended_5_0", "H264_Extended_AutoLevel"].map {
                ($0, "no encoder writes the Extended profile; expected Main or High")
            }),
        usualProfileLevel: .h264HighAuto, tenBitProfiles: [.h264High: .h264High10], limits: H264Limits(),
        properties: PropertyCatalog.h264)
}

/// The profiles of H.264, with the constrained subsets that VideoToolbox names. Bit factors are cpbBrVclFactor (ITU-T
/// H.264 table A-2).
extension CodecProfile {
    static let h264Baseline = CodecProfile(h264: "Baseline", 66, hasCABAC: false, hasBFrames: false)
    static let h264ConstrainedBaseline = CodecProfile(
        h264: "Constrained Baseline", 66, hasCABAC: false, hasBFrames: false)
    static let h264Main = CodecProfile(h264: "Main", 77)
    static let h264High = CodecProfile(h264: "High", 100, hasHighTools: true, bitFactor: 1250)
    static let h264ConstrainedHigh = CodecProfile(
        h264: "Constrained High", 100, hasBFrames: false, hasHighTools: true, bitFactor: 1250)
    /// VideoToolbox has no name for it: ``SessionConfiguration/profile`` derives it from High.
    static let h264High10 = CodecProfile(h264: "High 10", 110, hasHighTools: true, bitFactor: 3000, maxBitDepth: 10)

    private init(
        h264 name: String, _ idc: Int, hasCABAC: Bool = true, hasBFrames: Bool = true, hasHighTools: Bool = false,
        bitFactor: Int = 1000, maxBitDepth: Int = 8
    ) {
        self.init(
            name: name, idc: idc, hasCABAC: hasCABAC, hasBFrames: hasBFrames, hasHighTools: hasHighTools,
            bitFactor: bitFactor, maxBitDepth: maxBitDepth)
    }
}

extension ProfileLevel {
    static let h264HighAuto = ProfileLevel(name: "H264_High_AutoLevel", profile: .h264High, levelIDC: nil)

    /// VideoToolbox's constants for H.264, in its order, except the Extended profile, which no encoder writes.
    fileprivate static let h264: [ProfileLevel] = {
        let levels = [30, 31, 32, 40, 41, 42, 50, 51, 52]
        func fixed(_ prefix: String, _ profile: CodecProfile, _ levels: [Int]) -> [ProfileLevel] {
            levels.map {
                ProfileLevel(name: "H264_\(prefix)_\($0 / 10)_\($0 % 10)", profile: profile, levelIDC: $0)
            }
        }
        func auto(_ prefix: String, _ profile: CodecProfile) -> [ProfileLevel] {
            [ProfileLevel(name: "H264_\(prefix)_AutoLevel", profile: profile, levelIDC: nil)]
        }
        return fixed("Baseline", .h264Baseline, [13] + levels) + auto("Baseline", .h264Baseline)
            + auto("ConstrainedBaseline", .h264ConstrainedBaseline)
            + fixed("Main", .h264Main, levels) + auto("Main", .h264Main)
            + fixed("High", .h264High, levels) + [h264HighAuto]
            + auto("ConstrainedHigh", .h264ConstrainedHigh)
    }()
}

extension PropertyCatalog {
    /// The properties that only H.264 has, or has in a way of its own, except ProfileLevel.
    static let h264: [PropertyInfo] = [
        .choice(
            .h264EntropyMode, \.entropyMode, SessionConfiguration.EntropyMode.allCases,
            "CABAC if profile and preset have it",
            "The entropy coder.",
            derived: { facts in facts.encoder?.entropyMode.map { .string($0.rawValue) } }),
        .integer(
            .maxH264SliceBytes, .live, 0...16_777_216, \.live.rate.maxSliceBytes, default: 0,
            "The greatest size of a slice NAL unit in bytes, 0 (no limit) or at least 500. It can change while "
                + "encoding, but not from or to 0. A larger macroblock is a slice of its own; below 1000 (10 bits: 1400), "
                + "MinAllowedFrameQP 22 excludes it.",
            also: { value, info throws(NaluError) in
                if (1..<500).contains(value) {
                    throw info.outOfRange("\(value)", "0, or 500 to 16777216 bytes")
                }
            }),
    ]
}
