/// The counts of a ``StreamParser``. The corresponding C type is `nalu_stream_parser_statistics`.
public struct StreamParserStatistics: Hashable, Sendable {
    /// Bytes pushed.
    public internal(set) var bytes: UInt64 = 0
    /// Bytes before the first access unit with a sequence parameter set.
    public internal(set) var skippedBytes: UInt64 = 0
    /// Samples made, fetched or not.
    public internal(set) var samples: UInt64 = 0
    /// Bytes of the incomplete access unit, with 4 for each start code.
    public internal(set) var pendingBytes: UInt64 = 0
    /// Access units after the first parameter sets that did not become samples. They were too large, had no readable
    /// slice, preceded a key frame, or were leading pictures that cannot be decoded.
    public internal(set) var droppedAccessUnits: UInt64 = 0
    /// Unreadable NAL units after the first parameter sets.
    public internal(set) var droppedUnits: UInt64 = 0
    /// H.264: gaps in `frame_num`, from losses or on purpose. H.265: 0.
    public internal(set) var frameNumberGaps: UInt64 = 0
    /// Times passed by the client that were not after the previous one, and were replaced.
    public internal(set) var replacedTimes: UInt64 = 0

    public init() {}
}
