/// The limits of H.265 that no level exceeds (ITU-T H.265 A.4.1), and the smallest picture of its encoders.
struct H265Limits: CodecLimits {
    /// MaxLumaPs of level 6.2.
    private static let mostSamples = 35_651_584

    /// The smallest width and height: one coding tree block of 32 samples.
    let leastSide = 32
    let interlacedLevels: ClosedRange<Int>? = nil

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
