/// The limits of OpenH264: those of H.264 up to level 5.2.
struct OpenH264Limits: CodecLimits {
    /// One macroblock.
    let leastSide = 16
    /// Nil: OpenH264 has no fields.
    let interlacedLevels: ClosedRange<Int>? = nil
    /// The highest level.
    static let most = 52

    private let standard = H264Limits()

    func kilobitsPerSecond(level: Int, _ profile: CodecProfile) -> Int? {
        standard.kilobitsPerSecond(level: level, profile)
    }

    func check(width: Int, height: Int) throws(NaluError) {
        let (wide, high) = ((width + 15) / 16, (height + 15) / 16)
        guard let level = H264Level.level(Self.most), !level.holds(macroblocksWide: wide, high: high) else { return }
        throw NaluError(
            .invalidSize,
            "\(width)x\(height) has \(wide)x\(high) macroblocks; expected at most \(level.maxMacroblocksPerFrame), and at "
                + "most 543 at each side, those of level 5.2, the highest one of OpenH264")
    }

    func check(_ configuration: SessionConfiguration, _ geometry: PictureGeometry) throws(NaluError) {
        try standard.check(configuration, geometry)
    }

    func checkRate(_ configuration: SessionConfiguration) throws(NaluError) {
        try standard.checkRate(configuration)
    }
}
