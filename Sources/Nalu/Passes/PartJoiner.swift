/// Joins the samples of a clip that several sessions encoded in parts: checks that they are one stream, and gives each sample
/// the decode time that it has in that stream.
///
///     let joiner = try PartJoiner()
///     for part in parts {
///         try joiner.beginPart()
///         for sample in part { write(try joiner.add(sample)) }
///     }
///
/// Any thread may use it. The corresponding C type is `nalu_part_joiner`; docs/segments.md says how parts are encoded.
public final class PartJoiner: Sendable {
    private let state: Guarded<JoinedStream>

    /// - Parameters:
    ///   - dataRateLimits: the value of ``PropertyKey/dataRateLimits`` that holds for the whole clip.
    ///   - allowsGaps: parts may begin later than the last frame of the part before ends.
    /// - Throws: ``Status/outOfRange`` for numbers that are no such value.
    public init(dataRateLimits: [Double] = [], allowsGaps: Bool = false) throws(NaluError) {
        let limits = try DataRateLimits(numbers: dataRateLimits) { found, expected in
            NaluError(.outOfRange, "limits is \(found); expected \(expected)")
        }
        state = Guarded(JoinedStream(limits: limits, allowsGaps: allowsGaps))
    }

    /// Begins the next part. The samples that follow are those of one session, from its first one on.
    ///
    /// - Throws: ``Status/outOfOrder`` if the part before has no samples.
    public func beginPart() throws(NaluError) {
        try state.withLock { (stream) throws(NaluError) in try stream.beginPart() }
    }

    /// Adds a sample to the stream, if it fits. One that is refused changes nothing. Samples come in decode order.
    ///
    /// - Returns: the sample itself, or the same one at another decode time, where those of the part would not continue the
    ///   decode times of the part before.
    /// - Throws: ``Status/outOfOrder`` before the first part; ``Status/conflict`` if the format description is another one;
    ///   ``Status/badData`` if a part does not begin with a key frame; ``Status/invalidTime`` if times do not continue;
    ///   ``Status/outOfRange`` if a window of the limits would hold too many bytes.
    public func add(_ sample: Sample) throws(NaluError) -> Sample {
        try state.withLock { (stream) throws(NaluError) in try stream.add(sample) }
    }
}
