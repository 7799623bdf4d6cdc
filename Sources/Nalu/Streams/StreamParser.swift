/// Makes samples from an H.264 or H.265 Annex B byte stream that arrives in buffers of any size, for example from a
/// network.
///
/// ``push(_:time:)`` accepts bytes, ``next()`` returns complete samples, ``finish()`` ends the stream. Any thread may
/// call any of them. The corresponding C type is `nalu_stream_parser`.
public final class StreamParser: Sendable {
    /// The result of ``next()``.
    public enum Next: Sendable {
        case sample(Sample)
        /// More bytes are needed.
        case nothingYet
        /// The stream is finished and everything has been fetched.
        case end
    }

    /// The parser for one codec. Calls through a protocol would reach code that is not specialised for the codec.
    private enum Core {
        case h264(CodecStreamParser<H264StreamCodec>)
        case hevc(CodecStreamParser<HEVCStreamCodec>)
    }

    private let core: Core

    /// Creates a parser. `codec` is ``FormatDescription/h264`` or ``FormatDescription/hevc``.
    ///
    /// Throws `.unsupportedDataFormat` for any other codec; `.outOfRange` and `.invalidTime` for options, see
    /// ``StreamParserOptions``.
    public init(
        codec: UInt32 = FormatDescription.h264, options: StreamParserOptions = StreamParserOptions()
    ) throws(NaluError) {
        switch codec {
        case FormatDescription.h264:
            core = .h264(try CodecStreamParser(options))
        case FormatDescription.hevc:
            core = .hevc(try CodecStreamParser(options))
        default:
            throw NaluError(
                .unsupportedDataFormat,
                "codec is 0x\(String(codec, radix: 16)); expected 0x\(String(FormatDescription.h264, radix: 16)), "
                    + "'avc1', or 0x\(String(FormatDescription.hevc, radix: 16)), 'hvc1'"
            )
        }
    }

    /// Accepts the next bytes of the stream. `time` is the presentation time of the first access unit that begins in
    /// them: numeric, or the invalid time for none.
    ///
    /// Throws `.invalidTime`; `.outOfOrder` after ``finish()``. Errors in the bytes are thrown by ``next()``.
    public func push(_ bytes: UnsafeRawBufferPointer, time: MediaTime = .invalid) throws(NaluError) {
        switch core {
        case .h264(let parser): unsafe try parser.push(bytes, time: time)
        case .hevc(let parser): unsafe try parser.push(bytes, time: time)
        }
    }

    /// Accepts the next bytes of the stream from an array.
    public func push(_ bytes: [UInt8], time: MediaTime = .invalid) throws(NaluError) {
        unsafe try bytes.withBytes { (bytes) throws(NaluError) in
            unsafe try push(bytes, time: time)
        }
    }

    /// Ends the stream: the last access unit is complete, and every sample can be fetched.
    public func finish() {
        switch core {
        case .h264(let parser): parser.finish()
        case .hevc(let parser): parser.finish()
        }
    }

    /// Returns the next sample in decode order. If something was left out, throws once for everything between two
    /// samples: `.badData`, `.unsupportedDataFormat`, `.outOfRange`. The next call continues after it.
    public func next() throws(NaluError) -> Next {
        switch core {
        case .h264(let parser): try parser.next()
        case .hevc(let parser): try parser.next()
        }
    }

    /// The counts so far.
    public var statistics: StreamParserStatistics {
        switch core {
        case .h264(let parser): parser.statistics
        case .hevc(let parser): parser.statistics
        }
    }
}

/// The settings of a ``StreamParser``. The corresponding C type is `nalu_stream_parser_options`.
public struct StreamParserOptions: Hashable, Sendable {
    /// The most frames that can precede a frame in decode order and follow it in output order, 0 to 16. Nil for the
    /// number in the SPS, or if it has none for the most that the level allows.
    public var reorderDepth: Int?
    /// The limit of an access unit in bytes, 1024 to 1 GiB. A larger one is left out.
    public var maximumAccessUnitSize = 16 << 20
    /// The display duration of a frame, positive. Nil for the one in the SPS, or if it has none for 1/30 s.
    public var frameDuration: MediaTime?

    /// The display duration of a frame if nothing states it.
    package static let assumedFrameDuration = MediaTime(value: 1, timescale: 30)

    public init() {}

    func check() throws(NaluError) {
        if let reorderDepth, !(0...16).contains(reorderDepth) {
            throw NaluError(.outOfRange, "reorder_depth_plus_1 is \(reorderDepth &+ 1); expected 0 to 17")
        }
        guard (1024...1 << 30).contains(maximumAccessUnitSize) else {
            throw NaluError(
                .outOfRange,
                "maximum_access_unit_size is \(maximumAccessUnitSize); expected 1024 to \(1 << 30) bytes, or 0")
        }
        if let frameDuration, !(frameDuration.isNumeric && frameDuration.value > 0 && frameDuration.epoch == 0) {
            throw NaluError(
                .invalidTime, "frame_duration is \(frameDuration); expected a positive time of epoch 0, or none")
        }
    }
}

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
