/// The choice of a stream's level.
extension H264Level {
    /// The demands of a stream on its level.
    struct Demand {
        let geometry: PictureGeometry
        let frameRate: Double
        /// The frames that a decoder holds.
        let references: Int
        /// The bit rate in 1000 bits per second; 0 for none.
        let kilobitsPerSecond: Int
        /// The coded picture buffer in 1000 bits; 0 for none.
        let cpbKilobits: Int

        var macroblocks: Int { geometry.macroblocksWide * geometry.macroblocksHigh }
        var macroblocksPerSecond: Int { Int((Double(macroblocks) * frameRate).rounded(.up)) }
    }

    /// Returns the lowest level that meets the demand, or the last of `levels` if none does.
    static func lowest(_ demand: Demand, _ profile: CodecProfile, among levels: [H264Level]) -> H264Level {
        levels.first {
            $0.holds(macroblocksWide: demand.geometry.macroblocksWide, high: demand.geometry.macroblocksHigh)
                && demand.macroblocksPerSecond <= $0.maxMacroblocksPerSecond
                && min(demand.references, 16) * demand.macroblocks <= $0.maxDPBMacroblocks
                && demand.kilobitsPerSecond <= $0.kilobitsPerSecond(profile)
                && demand.cpbKilobits <= $0.cpbKilobits(profile)
        } ?? levels[levels.count - 1]
    }

    /// Throws `.outOfRange` if the level cannot hold the size, or the macroblocks per second at an ExpectedFrameRate that
    /// the client has set.
    func check(_ demand: Demand, _ configuration: SessionConfiguration) throws(NaluError) {
        let name = configuration.effectiveProfileLevel.name
        let size = "\(demand.geometry.encodedWidth)x\(demand.geometry.encodedHeight)"
        guard holds(macroblocksWide: demand.geometry.macroblocksWide, high: demand.geometry.macroblocksHigh) else {
            throw NaluError(
                .outOfRange,
                "ProfileLevel \"\(name)\": level \(self.name) allows \(maxMacroblocksPerFrame) "
                    + "macroblocks per frame, and \(size) has \(demand.macroblocks); use an AutoLevel")
        }
        let asked = configuration.live.rate.expectedFrameRate
        guard asked == 0 || demand.macroblocksPerSecond <= maxMacroblocksPerSecond else {
            throw NaluError(
                .outOfRange,
                "ProfileLevel \"\(name)\": level \(self.name) allows "
                    + "\(maxMacroblocksPerSecond) macroblocks per second, and \(size) at "
                    + "ExpectedFrameRate \(asked) has \(demand.macroblocksPerSecond); use an AutoLevel")
        }
    }
}
