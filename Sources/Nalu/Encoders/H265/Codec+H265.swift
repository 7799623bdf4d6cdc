extension Codec {
    static let h265 = Codec(
        code: EncoderRegistry.h265, constantPrefix: "HEVC_", profileLevels: ProfileLevel.h265,
        refusedProfileLevels: [
            "HEVC_Main42210_AutoLevel": "the encoder writes 4:2:0 only; expected HEVC_Main10_AutoLevel",
            "HEVC_Monochrome_AutoLevel": "the encoder writes no monochrome streams; expected HEVC_Main_AutoLevel",
            "HEVC_Monochrome10_AutoLevel": "the encoder writes no monochrome streams; expected HEVC_Main10_AutoLevel",
        ],
        usualProfileLevel: .h265MainAuto, tenBitProfiles: [.h265Main: .h265Main10], limits: H265Limits(), properties: []
    )
}

/// The profiles of H.265 (ITU-T H.265 A.3). Bit factors are CpbBrVclFactor (table A.9).
extension CodecProfile {
    static let h265Main = CodecProfile(h265: "Main", 1, maxBitDepth: 8)
    static let h265Main10 = CodecProfile(h265: "Main 10", 2, maxBitDepth: 10)

    private init(h265 name: String, _ idc: Int, maxBitDepth: Int) {
        self.init(
            name: name, idc: idc, hasCABAC: true, hasBFrames: true, hasHighTools: false, bitFactor: 1000,
            maxBitDepth: maxBitDepth)
    }
}

extension ProfileLevel {
    static let h265MainAuto = ProfileLevel(name: "HEVC_Main_AutoLevel", profile: .h265Main, levelIDC: nil)

    /// VideoToolbox's constants for H.265 that the encoder writes. There are no fixed levels among them.
    fileprivate static let h265 = [
        h265MainAuto, ProfileLevel(name: "HEVC_Main10_AutoLevel", profile: .h265Main10, levelIDC: nil),
    ]
}

/// The limits of H.265 that no level exceeds (ITU-T H.265 A.4.1), and the smallest picture of its encoders.
struct H265Limits: CodecLimits {
    /// MaxLumaPs of level 6.2.
    private static let mostSamples = 35_651_584

    /// The smallest width and height: one coding tree block of 32 samples.
    let leastSide = 32
    let interlacedLevels: ClosedRange<Int>? = nil

    /// The levels, thirty times their numbers, with MaxBR of the Main tier in units of 1000 bits per second (tables A.8 and
    /// A.9).
    private static let levels: [(idc: Int, kilobitsPerSecond: Int)] = [
        (30, 128), (60, 1500), (63, 3000), (90, 6000), (93, 10_000), (120, 12_000), (123, 20_000), (150, 25_000),
        (153, 40_000), (156, 60_000), (183, 120_000), (186, 240_000),
    ]

    /// Returns the lowest level that allows the bit rate in the Main tier; the highest one if none does.
    static func level(kilobitsPerSecond: Int) -> Int {
        levels.first { $0.kilobitsPerSecond >= kilobitsPerSecond }?.idc ?? levels[levels.count - 1].idc
    }

    /// Nil: H.265 sessions have no fixed level, so no level limits the rate.
    func kilobitsPerSecond(level: Int, _ profile: CodecProfile) -> Int? { nil }

    func check(width: Int, height: Int) throws(NaluError) {
        let samples = ((width + 1) & ~1) * ((height + 1) & ~1)
        guard samples <= Self.mostSamples else {
            throw NaluError(
                .invalidSize,
                "\(width)x\(height) has \(samples) luma samples; expected at most \(Self.mostSamples), those of level 6.2"
            )
        }
    }

    func check(_ configuration: SessionConfiguration, _ geometry: PictureGeometry) throws(NaluError) {}

    func checkRate(_ configuration: SessionConfiguration) throws(NaluError) {}
}
