/// Joins the samples of a clip that several sessions encoded in chunks: checks that they are one stream, and gives each sample
/// the decode time that it has in that stream.
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
    ///   - dataRateLimits: the value of ``PropertyKey/dataRateLimits`` that holds for the whole clip.
    ///   - allowsGaps: chunks may begin later than the last frame of the chunk before ends.
    ///   - allowsSeamsOverLimits: a window that reaches into several chunks may exceed a limit; ``seamsOverLimits`` then
    ///     has its seams.
    /// - Throws: ``Status/outOfRange`` for numbers that are no such value.
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

    /// Begins the next chunk. The samples that follow are those of one session, from its first one on.
    ///
    /// - Throws: ``Status/outOfOrder`` if the chunk before has no samples.
    public func beginChunk() throws(NaluError) {
        try state.withLock { (stream) throws(NaluError) in try stream.beginChunk() }
    }

    /// Adds a sample to the stream, if it fits. One that is refused changes nothing. Samples come in decode order.
    ///
    /// - Returns: the sample itself, or the same one at another decode time, where those of the chunk would not continue the
    ///   decode times of the chunk before.
    /// - Throws: ``Status/outOfOrder`` before the first chunk; ``Status/conflict`` if the format description is another one;
    ///   ``Status/badData`` if a chunk does not begin with a key frame; ``Status/invalidTime`` if times do not continue;
    ///   ``Status/outOfRange`` if a window of the limits would hold too many bytes.
    public func add(_ sample: Sample) throws(NaluError) -> Sample {
        try state.withLock { (stream) throws(NaluError) in try stream.add(sample) }
    }

    /// The seams in windows that exceed a limit, in ascending order: seam n is between chunks n − 1 and n. The windows of
    /// refused samples count too. To keep the limits, encode the chunks at these seams again with
    /// ``PropertyKey/limitsOverSeams``.
    public var seamsOverLimits: [Int] {
        state.withLock { $0.seamsOverLimits }.sorted()
    }
}
