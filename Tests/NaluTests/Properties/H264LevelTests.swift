import Testing

@testable import Nalu

/// The limits of ITU-T H.264 table A-1, and the choice of a level.
@Suite struct H264LevelTests {
    /// The columns level_idc, MaxMBPS, MaxFS, MaxDpbMbs, MaxBR and MaxCPB of the table.
    private static let table: [[Int]] = [
        [10, 1485, 99, 396, 64, 175], [11, 3000, 396, 900, 192, 500], [12, 6000, 396, 2376, 384, 1000],
        [13, 11880, 396, 2376, 768, 2000], [20, 11880, 396, 2376, 2000, 2000], [21, 19800, 792, 4752, 4000, 4000],
        [22, 20250, 1620, 8100, 4000, 4000], [30, 40500, 1620, 8100, 10000, 10000],
        [31, 108_000, 3600, 18000, 14000, 14000], [32, 216_000, 5120, 20480, 20000, 20000],
        [40, 245_760, 8192, 32768, 20000, 25000], [41, 245_760, 8192, 32768, 50000, 62500],
        [42, 522_240, 8704, 34816, 50000, 62500], [50, 589_824, 22080, 110_400, 135_000, 135_000],
        [51, 983_040, 36864, 184_320, 240_000, 240_000], [52, 2_073_600, 36864, 184_320, 240_000, 240_000],
        [60, 4_177_920, 139_264, 696_320, 240_000, 240_000], [61, 8_355_840, 139_264, 696_320, 480_000, 480_000],
        [62, 16_711_680, 139_264, 696_320, 800_000, 800_000],
    ]

    @Test func theTableIsTheRecommendations() {
        let ours = H264Level.all.map {
            [
                $0.idc, $0.maxMacroblocksPerSecond, $0.maxMacroblocksPerFrame, $0.maxDPBMacroblocks,
                $0.maxKilobitsPerSecond, $0.maxCPBKilobits,
            ]
        }
        #expect(ours == Self.table)
        #expect(H264Level.maxMacroblocks == Self.table.map { $0[2] }.max())
        #expect(H264Level.level(31)?.name == "3.1" && H264Level.level(10)?.name == "1.0")
        #expect(H264Level.level(9) == nil && H264Level.level(33) == nil)
    }

    @Test func highProfilesMayHaveAQuarterMore() throws {
        let level = try #require(H264Level.level(31))
        for profile in [H264Profile.high, .constrainedHigh] {
            #expect(level.kilobitsPerSecond(profile) == 17500 && level.cpbKilobits(profile) == 17500)
        }
        for profile in [H264Profile.baseline, .constrainedBaseline, .main] {
            #expect(level.kilobitsPerSecond(profile) == 14000 && level.cpbKilobits(profile) == 14000)
        }
    }

    @Test func aFrameFitsByItsAreaAndByEachSide() throws {
        let level = try #require(H264Level.level(10))
        #expect(level.holds(macroblocksWide: 11, high: 9))
        #expect(!level.holds(macroblocksWide: 10, high: 10))
        // The square root of 8 x 99 is 28.1.
        #expect(level.holds(macroblocksWide: 28, high: 1) && !level.holds(macroblocksWide: 29, high: 1))
        #expect(level.holds(macroblocksWide: 1, high: 28) && !level.holds(macroblocksWide: 1, high: 29))
    }

    /// Width, height, frame rate, bit rate, and the lowest level that allows them.
    private static let choices: [(Int, Int, Double, Int, UInt8)] = [
        (64, 64, 15, 0, 10), (176, 144, 15, 0, 10), (176, 144, 30, 0, 11), (352, 288, 15, 0, 12), (352, 288, 30, 0, 13),
        (640, 480, 30, 0, 30), (1280, 720, 30, 0, 31), (1280, 720, 60, 0, 32), (640, 480, 30, 40_000_000, 41),
        (64, 64, 15, 60_000, 10), (64, 64, 15, 100_000, 11), (64, 64, 15, 1_000_000, 20), (64, 64, 900, 0, 21),
    ]

    @Test(arguments: choices)
    func anAutoLevelIsTheLowestThatHoldsEverything(
        width: Int, height: Int, frameRate: Double, bitRate: Int, level: UInt8
    ) throws {
        let session = try CompressionSession(width: width, height: height, outputHandler: { _ in })
        try session.set([
            (.expectedFrameRate, .double(frameRate)), (.averageBitRate, .integer(Int64(bitRate))),
            (.x264Params, "ref=1:threads=1:rc-lookahead=0"), (.allowFrameReordering, false),
        ])
        #expect(try Self.level(session) == level)
    }

    @Test func aFixedLevelIsWrittenOrRefused() throws {
        func session(_ width: Int, _ height: Int, _ name: String) throws -> CompressionSession {
            let session = try CompressionSession(width: width, height: height, outputHandler: { _ in })
            try session.set([(.profileLevel, .string(name)), (.x264Preset, "ultrafast")])
            return session
        }
        #expect(try Self.level(session(64, 64, "H264_Main_3_0")) == 30)
        #expect(try Self.level(session(64, 64, "H264_Baseline_1_3")) == 13)
        #expect(
            TestBytes.status { () throws(NaluError) in
                do { _ = try session(1280, 720, "H264_Main_3_0") } catch let error as NaluError { throw error } catch {}
            } == .outOfRange)
        let fast = try session(1280, 720, "H264_High_3_1")
        try fast.set(.expectedFrameRate, 60)
        #expect(TestBytes.status { () throws(NaluError) in try fast.prepare() } == .outOfRange)
        let fat = try session(64, 64, "H264_Main_3_0")
        try fat.set(.averageBitRate, 20_000_000)
        #expect(TestBytes.status { () throws(NaluError) in try fat.prepare() } == .conflict)
    }

    /// Returns the level_idc in the stream's parameter set.
    private static func level(_ session: CompressionSession) throws -> UInt8 {
        let levels = Collected<UInt8>()
        let buffer = try PixelBuffer(filled: 0, .nv12, session.width, session.height)
        try session.encode(
            buffer, presentationTime: .zero,
            options: FrameOptions(outputHandler: { frame in
                if let sample = frame.sample { levels.append(UInt8(sample.formatDescription.sequence.levelIDC)) }
            }))
        try session.complete()
        return try #require(levels.all.first)
    }
}
