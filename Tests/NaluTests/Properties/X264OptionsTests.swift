import Testing

@testable import Nalu

/// The value of x264.params, which is checked when it is set.
@Suite struct X264OptionsTests {
    private static func status(_ text: String) -> Status {
        TestBytes.status { () throws(NaluError) in _ = try X264Options(text) }
    }

    @Test func namesAndValuesAreKeptInOrder() throws {
        let options = try X264Options("qpmin=10:qpmax=51:no-cabac::ref=4")
        #expect(options.text == "qpmin=10:qpmax=51:no-cabac::ref=4")
        #expect(options.options.map { $0.name } == ["qpmin", "qpmax", "cabac", "ref"])
        #expect(options.options.map { $0.value } == ["10", "51", nil, "4"])
        #expect(options.contains("cabac") && !options.contains("crf"))
        #expect(try X264Options("").options.isEmpty && X264Options(":::").options.isEmpty)
        #expect(X264Options() == (try X264Options("")))
    }

    @Test(arguments: [
        "bogus=1", "=", "=1", "qpmin", "qpmin=", "qpmin=x", "ref=4;qpmax=3", " ref=4", "ref =4", "bframes=lots",
        "me=fastest", "ref=4:qpmaxx=3",
    ])
    func whatX264DoesNotTakeIsRefused(text: String) {
        #expect(Self.status(text) == .outOfRange)
    }

    /// Every spelling that x264 accepts is rejected, with either value.
    @Test(arguments: [
        "annexb", "repeat-headers", "stats", "pass", "cqmfile", "dump-yuv", "opencl", "opencl-clbin", "opencl-device",
        "open-gop", "intra-refresh", "log", "avcintra-class", "avcintra-flavor", "tff", "bff", "fake-interlaced",
        "pic-struct", "crop-rect", "fullrange", "global-header", "frames",
    ])
    func whatBelongsToTheSessionIsRefused(name: String) {
        let underscored = String(name.map { $0 == "-" ? "_" : $0 })
        for spelling in [name, underscored, "no-" + name, "no" + name, "no_" + name, "no" + underscored] {
            for value in ["", "=0", "=1", "=false", "=true", "=2", "==1", "=x"] {
                #expect(Self.status(spelling + value) == .outOfRange, "\(spelling + value)")
                #expect(Self.status("ref=2:\(spelling + value):ref=3") == .outOfRange)
            }
        }
    }

    /// C strings end at the first NUL, so the text before a NUL must not be accepted as a name.
    @Test(arguments: ["annexb\0x=1", "annexb\0=1", "ref=2\0", "no\0annexb=0", "\0", "ref\0=2", "stats\0x=file"])
    func aNULIsNeverTaken(text: String) {
        #expect(Self.status(text) == .outOfRange)
    }

    @Test func aFileOfMatricesIsRefused() {
        #expect(Self.status("cqm=flat") == .ok && Self.status("cqm=jvt") == .ok)
        #expect(Self.status("cqm=matrices.cfg") == .outOfRange)
    }

    @Test(arguments: [
        ("bitrate=1000", true), ("crf=20", true), ("qp=20", true), ("vbv_maxrate=100:vbv_bufsize=100", true),
        ("nal-hrd=vbr", true), ("crf_max=30", true), ("ratetol=2", true), ("ref=2:me=hex", false), ("qpmin=10", false),
    ])
    func optionsOfRateControlTakeItOver(text: String, owns: Bool) throws {
        #expect(try X264Options(text).ownsRate == owns)
    }

    private static let conflicts: [(String, PropertyKey, PropertyValue)] = [
        ("crf=20", .averageBitRate, 1_000_000), ("bitrate=500", .quality, 0.5),
        ("qp=20", .dataRateLimits, [100_000, 1]),
        ("keyint=30", .maxKeyFrameInterval, 30), ("fps=25", .expectedFrameRate, 25),
        ("cabac=0", .h264EntropyMode, "CAVLC"),
        ("no-cabac", .h264EntropyMode, "CABAC"), ("nocabac", .h264EntropyMode, "CABAC"),
        ("bframes=2", .allowFrameReordering, true), ("level=3.1", .profileLevel, "H264_High_4_0"),
        ("level_idc=31", .profileLevel, "H264_High_4_0"), ("slice-max-size=500", .maxH264SliceBytes, 500),
        ("slices=4", .allowMultipleSlices, false), ("slice_max_mbs=9", .allowMultipleSlices, false),
        ("sar=4:3", .pixelAspectRatio, [4, 3]), ("colorprim=bt709", .colorPrimaries, "ITU_R_709_2"),
        ("transfer=bt709", .transferFunction, "ITU_R_709_2"), ("colormatrix=bt709", .yCbCrMatrix, "ITU_R_709_2"),
        ("chromaloc=1", .chromaLocation, "Left"),
        ("frameref=3", .referenceBufferCount, 3), ("b-pyramid=strict", .referenceBufferCount, 3),
        ("rc_lookahead=9", .suggestedLookAheadFrameCount, 9), ("aq-mode=0", .spatialAdaptiveQPLevel, 0),
        ("threads=1", .maximizePowerEfficiency, true), ("qp=20", .maxAllowedFrameQP, 30),
        ("qp-max=30", .maxAllowedFrameQP, 30), ("qpmin=3", .minAllowedFrameQP, 3),
    ]

    @Test(arguments: conflicts)
    func anOptionAndAPropertyThatSayTheSameContradictEachOther(
        text: String, key: PropertyKey, value: PropertyValue
    ) throws {
        let options = PropertyValue.string(text == "sar=4:3" ? "sar=4/3" : text)
        for order in [[(key, value), (.x264Params, options)], [(.x264Params, options), (key, value)]] {
            let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
            try session.set(order[0].0, order[0].1)
            let error = #expect(throws: NaluError.self) { try session.set(order[1].0, order[1].1) }
            #expect(error?.status == .conflict)
            #expect(error?.message.contains(key.rawValue) == true && error?.message.contains("x264.params") == true)
        }
    }

    @Test func theyAreAppliedLast() throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: { _ in })
        try session.set([(.x264Preset, "veryslow"), (.x264Params, "ref=2:me=dia:rc_lookahead=7:no-8x8dct")])
        try session.prepare()
        let effective = try #require(session.property(.x264Effective).stringValue)
        for expected in ["ref=2", "me=dia", "rc-lookahead=7", "8x8dct=0"] {
            #expect((":" + effective + ":").contains(":\(expected):"), "\(expected) in \(effective)")
        }
    }

    /// x264.effective has the form of x264.params, so another session can be opened with it.
    @Test func whatRunsCanBeReadAgain() throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: { _ in })
        try session.prepare()
        let effective = try #require(session.property(.x264Effective).stringValue)
        for option in effective.split(separator: ":") {
            #expect(Self.status(String(option)) == .ok, "\(option)")
        }
    }
}
