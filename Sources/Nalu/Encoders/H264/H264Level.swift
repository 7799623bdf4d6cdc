/// The limits of one H.264 level: ITU-T H.264 table A-1.
struct H264Level: Sendable {
    /// Ten times the level.
    let idc: Int
    let maxMacroblocksPerSecond: Int
    let maxMacroblocksPerFrame: Int
    let maxDPBMacroblocks: Int
    /// The highest bit rate in 1000 bits per second, for Baseline and Main. High has 1.25 times as much, High 10 three
    /// times.
    let maxKilobitsPerSecond: Int
    /// The largest coded picture buffer in 1000 bits, with the same factors.
    let maxCPBKilobits: Int

    static let all: [H264Level] = [
        H264Level(10, 1485, 99, 396, 64, 175),
        H264Level(11, 3000, 396, 900, 192, 500),
        H264Level(12, 6000, 396, 2376, 384, 1000),
        H264Level(13, 11880, 396, 2376, 768, 2000),
        H264Level(20, 11880, 396, 2376, 2000, 2000),
        H264Level(21, 19800, 792, 4752, 4000, 4000),
        H264Level(22, 20250, 1620, 8100, 4000, 4000),
        H264Level(30, 40500, 1620, 8100, 10000, 10000),
        H264Level(31, 108_000, 3600, 18000, 14000, 14000),
        H264Level(32, 216_000, 5120, 20480, 20000, 20000),
        H264Level(40, 245_760, 8192, 32768, 20000, 25000),
        H264Level(41, 245_760, 8192, 32768, 50000, 62500),
        H264Level(42, 522_240, 8704, 34816, 50000, 62500),
        H264Level(50, 589_824, 22080, 110_400, 135_000, 135_000),
        H264Level(51, 983_040, 36864, 184_320, 240_000, 240_000),
        H264Level(52, 2_073_600, 36864, 184_320, 240_000, 240_000),
        H264Level(60, 4_177_920, 139_264, 696_320, 240_000, 240_000),
        H264Level(61, 8_355_840, 139_264, 696_320, 480_000, 480_000),
        H264Level(62, 16_711_680, 139_264, 696_320, 800_000, 800_000),
    ]

    /// The levels that allow interlaced frames: table A-4, frame_mbs_only_flag.
    static let interlacedLevels = 21...41
    static let interlaced = all.filter { interlacedLevels.contains($0.idc) }

    /// The most macroblocks that any level allows in a frame.
    static let maxMacroblocks = 139_264

    static func level(_ idc: Int) -> H264Level? {
        all.first { $0.idc == idc }
    }

    private init(_ idc: Int, _ mbps: Int, _ frame: Int, _ dpb: Int, _ rate: Int, _ cpb: Int) {
        self.idc = idc
        maxMacroblocksPerSecond = mbps
        maxMacroblocksPerFrame = frame
        maxDPBMacroblocks = dpb
        maxKilobitsPerSecond = rate
        maxCPBKilobits = cpb
    }

    var name: String { "\(idc / 10).\(idc % 10)" }

    func kilobitsPerSecond(_ profile: CodecProfile) -> Int {
        maxKilobitsPerSecond * profile.bitFactor / 1000
    }

    func cpbKilobits(_ profile: CodecProfile) -> Int {
        maxCPBKilobits * profile.bitFactor / 1000
    }

    /// Returns the number of reference frames of that size that the level allows, at most 16.
    func references(macroblocks frame: Int) -> Int {
        max(1, min(16, maxDPBMacroblocks / frame))
    }

    /// Whether the level allows a frame of that size: its area, and each side (A.3.1: at most the root of 8 times
    /// MaxFS).
    func holds(macroblocksWide width: Int, high height: Int) -> Bool {
        width * height <= maxMacroblocksPerFrame && width * width <= 8 * maxMacroblocksPerFrame
            && height * height <= 8 * maxMacroblocksPerFrame
    }
}
