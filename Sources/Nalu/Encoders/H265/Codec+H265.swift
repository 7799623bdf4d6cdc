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
