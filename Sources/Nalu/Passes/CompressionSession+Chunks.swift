/// The facts about a session that a plan of chunks needs.
extension CompressionSession {
    /// Ten times the level in the stream's parameter sets; nil until the encoder is open.
    package var openLevel: Int? {
        get throws(NaluError) { try core.monitor.locked { (state) throws(NaluError) in state.open?.level } }
    }

    /// Returns the highest bit rate that the fixed level of ``PropertyKey/profileLevel`` allows a chunk, in bits per
    /// second. ``PropertyKey/dataRateLimits`` can lower it, because a chunk with neighbours has only its share of
    /// them. Nil if neither property is set.
    package func highestChunkRate(hasNeighbours: Bool) throws(NaluError) -> Int? {
        let configuration = try core.monitor.locked { (state) throws(NaluError) in state.configuration }
        let level = configuration.profileLevel?.levelIDC.flatMap(H264Level.level)
        let levelRate = level.map { $0.kilobitsPerSecond(configuration.profile) * 1000 }
        guard hasNeighbours else { return levelRate }
        let rate = FrameRate(configuration.live.rate.expectedFrameRate) ?? .assumed
        let flow = configuration.live.rate.limits.lowest { limit in
            let shares = SeamShares(seconds: limit.seconds, frameSeconds: 1 / rate.perSecond)
            return shares.flow * 8 * limit.bytes / limit.seconds
        }
        return [levelRate, flow.isFinite ? Int(flow) : nil].compactMap(\.self).min()
    }
}
