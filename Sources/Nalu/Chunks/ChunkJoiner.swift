/// Joins the samples of a video that several sessions encoded in chunks. It checks that they form one stream, and
/// assigns each sample its decode time in that stream.
///
///     let joiner = try ChunkJoiner()
///     for chunk in chunks {
///         try joiner.beginChunk()
///         for sample in chunk { write(try joiner.add(sample)) }
///     }
///
/// Any thread may use it. The corresponding C type is `nalu_chunk_joiner`; docs/chunks.md describes how chunks are encoded.
public final class ChunkJoiner: Sendable {
    private let state: Guarded<JoinedStream>

    /// - Parameters:
    ///   - dataRateLimits: the value of ``PropertyKey/dataRateLimits`` for the whole video.
    ///   - allowsGaps: whether a chunk may begin later than the end of the previous chunk.
    ///   - allowsSeamsOverLimits: whether a window that reaches into several chunks may exceed a limit;
    ///     ``seamsOverLimits`` then contains its seams.
    /// - Throws: ``Status/outOfRange`` if `dataRateLimits` is not a valid value.
    public init(
        dataRateLimits: [Double] = [], allowsGaps: Bool = false, allowsSeamsOverLimits: Bool = false
    ) throws(NaluError) {
        let limits = try DataRateLimits(numbers: dataRateLimits) { found, expected in
            NaluError(.outOfRange, "limits is \(found); expected \(expected)")
        }
        state = Guarded(
            JoinedStream(
                limits: limits, allowsGaps: allowsGaps, allowsSeamsOverLimits: allowsSeamsOverLimits))
    }

    /// Begins the next chunk. The samples added next are those of one session, beginning with its first.
    ///
    /// - Throws: ``Status/outOfOrder`` if the previous chunk has no samples.
    public func beginChunk() throws(NaluError) {
        try state.withLock { (stream) throws(NaluError) in try stream.beginChunk() }
    }

    /// Adds the next sample of the chunk, in decode order, if it fits. A refused sample changes nothing.
    ///
    /// - Returns: the sample itself, or a sample with the same bytes and another decode time, if decode times of the
    ///   chunk overlap with those of the previous chunk.
    /// - Throws: ``Status/outOfOrder`` before the first chunk; ``Status/conflict`` if the format description differs
    ///   from that of earlier samples; ``Status/badData`` if a chunk does not begin with a key frame;
    ///   ``Status/invalidTime`` if times do not continue; ``Status/outOfRange`` if a window of the limits would hold
    ///   too many bytes.
    public func add(_ sample: Sample) throws(NaluError) -> Sample {
        try sample.formatDescription.requireVideo()
        return try state.withLock { (stream) throws(NaluError) in try stream.add(sample) }
    }

    /// The seams in windows that exceed a limit, in ascending order: seam n is between chunks n − 1 and n. The windows of
    /// refused samples count too. To keep the limits, encode the chunks at these seams again with
    /// ``PropertyKey/limitsOverSeams``.
    public var seamsOverLimits: [Int] {
        state.withLock { $0.seamsOverLimits }.sorted()
    }
}
