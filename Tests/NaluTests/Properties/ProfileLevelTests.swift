import Testing

@testable import Nalu

/// The H264_ constants of the ProfileLevel property.
@Suite struct ProfileLevelTests {
    private static let levels = ["3_0", "3_1", "3_2", "4_0", "4_1", "4_2", "5_0", "5_1", "5_2", "AutoLevel"]
    /// The names that the header promises.
    private static let names: [String] =
        ["H264_Baseline_1_3"] + levels.map { "H264_Baseline_" + $0 } + ["H264_ConstrainedBaseline_AutoLevel"]
        + levels.map { "H264_Main_" + $0 } + levels.map { "H264_High_" + $0 } + ["H264_ConstrainedHigh_AutoLevel"]

    @Test func thereAre33Names() throws {
        #expect(Self.names.count == 33)
        #expect(ProfileLevel.all.map { $0.name } == Self.names)
        for name in Self.names { #expect(try ProfileLevel.named(name).name == name) }
    }

    @Test(arguments: names)
    func eachNameSaysItsProfileAndLevel(name: String) throws {
        let words = name.split(separator: "_", maxSplits: 2)
        let value = try ProfileLevel.named(name)
        let profiles: [Substring: H264Profile] = [
            "Baseline": .baseline, "ConstrainedBaseline": .constrainedBaseline, "Main": .main, "High": .high,
            "ConstrainedHigh": .constrainedHigh,
        ]
        #expect(value.profile == profiles[words[1]])
        #expect(value.levelIDC == (words[2] == "AutoLevel" ? nil : Int(words[2].filter { $0 != "_" })))
        if let level = value.levelIDC { #expect(H264Level.level(level) != nil) }
    }

    @Test func theDefaultIsHighAutoLevel() throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        #expect(try session.property(.profileLevel) == "H264_High_AutoLevel")
        try session.set(.profileLevel, "H264_Main_AutoLevel")
        try session.set(.profileLevel, nil)
        #expect(try session.property(.profileLevel) == "H264_High_AutoLevel")
    }

    @Test(arguments: [
        "H264_Extended_5_0", "H264_Extended_AutoLevel", "", "H264_High_5_3", "h264_high_autolevel", "H264_Main_1_3",
        "HEVC_Main_AutoLevel", "H264_High_AutoLevel\0", "H264_High_AutoLevel ",
    ])
    func otherNamesAreRefused(name: String) throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        let error = #expect(throws: NaluError.self) { try session.set(.profileLevel, .string(name)) }
        #expect(error?.status == .outOfRange)
        if name.hasPrefix("H264_Extended") { #expect(error?.message.contains("Extended") == true) }
    }

    @Test func whatAProfileHoldsIsWhatItsStreamsUse() {
        #expect(ProfileLevel.all.allSatisfy { $0.profile.hasCABAC == !$0.name.contains("Baseline") })
        let withBFrames = Set(ProfileLevel.all.filter { $0.profile.hasBFrames }.map { $0.profile })
        #expect(withBFrames == [.main, .high])
    }

    /// profile_idc and constraint flags of ITU-T H.264 A.2.
    @Test(arguments: [
        ("H264_Baseline_AutoLevel", 66, 0x40), ("H264_ConstrainedBaseline_AutoLevel", 66, 0x40),
        ("H264_Main_AutoLevel", 77, 0), ("H264_High_AutoLevel", 100, 0), ("H264_ConstrainedHigh_AutoLevel", 100, 0x0c),
    ])
    func theStreamAnnouncesTheProfile(name: String, profile: Int, constraints: Int) throws {
        let formats = Collected<FormatDescription>()
        let session = try CompressionSession(
            width: 64, height: 64,
            outputHandler: { if let sample = $0.sample { formats.append(sample.formatDescription) } })
        try session.set(.profileLevel, .string(name))
        let buffer = try PixelBuffer(filled: 80, .nv12, 64, 64)
        try session.encode(buffer, presentationTime: .zero)
        try session.complete()
        let sequence = try #require(formats.all.first).sequence
        #expect(Int(sequence.profileIDC) == profile)
        #expect(Int(sequence.constraintFlags) & constraints == constraints)
    }
}
