/// The facts about a session that a plan of chunks needs.
extension CompressionSession {
    /// Ten times the level in the stream's parameter sets; nil until the encoder is open.
    package var openLevel: Int? {
        get throws(NaluError) { try core.monitor.locked { (state) throws(NaluError) in state.open?.level } }
    }

    /// The highest bit rate that the fixed level of ``PropertyKey/profileLevel`` allows, in bits per second; nil if the
    /// level is not fixed.
    package var highestLevelRate: Int? {
        get throws(NaluError) {
            let configuration = try core.monitor.locked { (state) throws(NaluError) in state.configuration }
            return configuration.fixedLevelRate.map { $0 * 1000 }
        }
    }
}
