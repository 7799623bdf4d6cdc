/// What a ``StreamParser`` has counted. The corresponding C type is `nalu_stream_parser_statistics`.
public struct StreamParserStatistics: Hashable, Sendable {
    /// Bytes pushed.
    public internal(set) var bytes: UInt64 = 0
    /// Of these, those before the first access unit with a sequence parameter set.
    public internal(set) var skippedBytes: UInt64 = 0
    /// Samples made, fetched or not.
    public internal(set) var samples: UInt64 = 0
    /// Bytes that wait for the rest of their access unit, with 4 for each NAL unit instead of its start code.
    public internal(set) var pendingBytes: UInt64 = 0
    /// Access units behind the first parameter sets that gave no sample: too large, without a readable slice, before a
    /// key frame, or leading pictures that cannot be decoded.
    public internal(set) var droppedAccessUnits: UInt64 = 0
    /// NAL units behind the first parameter sets that could not be read.
    public internal(set) var droppedUnits: UInt64 = 0
    /// Jumps of `frame_num`: reference frames have been lost, or left out on purpose.
    public internal(set) var frameNumberGaps: UInt64 = 0
    /// Times given that were not after the one before them in output order, and that were counted instead.
    public internal(set) var replacedTimes: UInt64 = 0

    public init() {}
}
