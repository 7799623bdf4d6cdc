/// Makes samples of an H.264 or H.265 byte stream (Annex B of either) that comes in pieces of any size, as from a network.
///
/// ``push(_:time:)`` takes bytes, ``next()`` gives what has become complete, ``finish()`` ends the stream. Any thread may
/// call any of them. The corresponding C type is `nalu_stream_parser`.
public final class StreamParser: Sendable {
    /// What ``next()`` found.
    public enum Next: Sendable {
        case sample(Sample)
        /// More bytes are needed.
        case nothingYet
        /// The stream is finished and everything has been fetched.
        case end
    }

    /// By its codec: calls through a protocol would reach code that is not specialised for it.
    private enum Core {
        case h264(CodecStreamParser<H264StreamCodec>)
        case hevc(CodecStreamParser<HEVCStreamCodec>)
    }

    private let core: Core

    /// `codec`: ``FormatDescription/h264`` or ``FormatDescription/hevc``.
    ///
    /// Throws `.unsupportedDataFormat` for another codec; `.outOfRange` and `.invalidTime` for options, see
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

    /// Takes the next bytes of the stream. `time`, numeric, is the presentation time of the first access unit that
    /// begins in them; the invalid time is none.
    ///
    /// Throws `.invalidTime`; `.outOfOrder` behind ``finish()``. What is wrong with the bytes, ``next()`` throws.
    public func push(_ bytes: UnsafeRawBufferPointer, time: MediaTime = .invalid) throws(NaluError) {
        switch core {
        case .h264(let parser): unsafe try parser.push(bytes, time: time)
        case .hevc(let parser): unsafe try parser.push(bytes, time: time)
        }
    }

    /// The same from an array.
    public func push(_ bytes: [UInt8], time: MediaTime = .invalid) throws(NaluError) {
        unsafe try bytes.withBytes { (bytes) throws(NaluError) in
            unsafe try push(bytes, time: time)
        }
    }

    /// The stream ends here: the access unit under way is complete, and none waits for others any more.
    public func finish() {
        switch core {
        case .h264(let parser): parser.finish()
        case .hevc(let parser): parser.finish()
        }
    }

    /// The next sample, in decoding order. Throws what was wrong with bytes that have been left out, once for those
    /// between two samples: `.badData`, `.unsupportedDataFormat`, `.outOfRange`; the next call goes on behind them.
    public func next() throws(NaluError) -> Next {
        switch core {
        case .h264(let parser): try parser.next()
        case .hevc(let parser): try parser.next()
        }
    }

    /// What has been counted so far.
    public var statistics: StreamParserStatistics {
        switch core {
        case .h264(let parser): parser.statistics
        case .hevc(let parser): parser.statistics
        }
    }
}
