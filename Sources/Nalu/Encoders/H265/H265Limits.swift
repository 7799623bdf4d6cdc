/// The limits of H.265 that no level exceeds (ITU-T H.265 A.4.1), and the smallest picture of its encoders.
struct H265Limits: CodecLimits {
    /// The smallest width and height: one coding tree block of 32 samples.
    private static let leastSide = 32
    /// MaxLumaPs of level 6.2.
    private static let mostSamples = 35_651_584
    /// The greatest width and height: the square root of 8 times MaxLumaPs, rounded down.
    private static let mostSide = 16_888

    let interlacedLevels: ClosedRange<Int>? = nil

    /// Nil: H.265 sessions have no fixed level, so no level limits the rate.
    func kilobitsPerSecond(level: Int, _ profile: CodecProfile) -> Int? { nil }

    func check(width: Int, height: Int) throws(NaluError) {
        for (name, side) in [("width", width), ("height", height)]
        where !(Self.leastSide...Self.mostSide).contains(side) {
            throw NaluError(
                .invalidSize,
                "\(name) is \(side); expected \(Self.leastSide) to \(min(Self.mostSide, PixelFormat.maximumDimension)) "
                    + "pixels for codec 'hvc1'")
        }
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
