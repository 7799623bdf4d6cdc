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

    @Test func theLevelTableIsThatOfH264() {
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

    @Test func highProfilesAllowAQuarterMoreRate() throws {
        let level = try #require(H264Level.level(31))
        for profile in [CodecProfile.h264High, .h264ConstrainedHigh] {
            #expect(level.kilobitsPerSecond(profile) == 17500 && level.cpbKilobits(profile) == 17500)
        }
        for profile in [CodecProfile.h264Baseline, .h264ConstrainedBaseline, .h264Main] {
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
}
