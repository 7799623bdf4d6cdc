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
