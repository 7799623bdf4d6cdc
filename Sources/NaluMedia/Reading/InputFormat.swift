internal import CFFmpeg
internal import NaluBase
internal import NaluBitstream

/// The format of an input, named by the client or detected from the content.
enum InputFormat {
    case raw(VideoCodec)
    case contained(DemuxerFormat)

    /// Formats that name other files, which are not opened.
    private static let playlists: Set<String> = [
        "hls", "dash", "imf", "concat", "webm_dash_manifest", "sdp", "rtsp", "avisynth", "vapoursynth",
    ]

    /// libavformat's score of a guess. A format with a signature scores more, up to 100.
    private static let weakScore = AVPROBE_SCORE_MAX / 2 + 1

    init(of stream: InputStream, _ options: ReaderOptions) throws(NaluError) {
        if let name = options.format {
            self = try Self.named(name, options)
        } else {
            self = try Self.found(stream)
        }
    }

    private static func named(_ name: String, _ options: ReaderOptions) throws(NaluError) -> InputFormat {
        guard !name.contains(","), let format = DemuxerFormat(named: name), !format.readsNoFile else {
            throw NaluError(
                .unsupportedDataFormat,
                "\(options.spelling.format) is \"\(name)\", which FFmpeg has no demuxer for; expected mp4, mov, matroska, mpegts, flv, h264, hevc, or another name of FFmpeg's"
            )
        }
        return try InputFormat(format)
    }

    private static func found(_ stream: InputStream) throws(NaluError) -> InputFormat {
        let (format, score) = stream.locale.ofC { DemuxerFormat.probe(stream) }
        if stream.error == nil, stream.locale.hasLackedMemory { throw unknown(stream, nalu_ff_out_of_memory()) }
        let beginning = stream.beginning
        if stream.error == nil, TransportPackets.fill(beginning), let transport = DemuxerFormat(named: "mpegts") {
            return .contained(transport)
        }
        if let format, score > weakScore { return try InputFormat(format) }
        if stream.error == nil, let codec = rawCodec(beginning.span) { return .raw(codec) }
        guard let format, !isMistaken(format, score, beginning) else { throw unknown(stream, score) }
        return try InputFormat(format)
    }

    /// Returns whether libavformat mistakes the input for a transport stream. libavformat accepts less than ten
    /// packets' worth of any bytes if one of them looks like the beginning of a packet (mpegts.c, mpegts_probe).
    private static func isMistaken(_ format: DemuxerFormat, _ score: Int32, _ bytes: [UInt8]) -> Bool {
        guard score <= AVPROBE_SCORE_MAX / 4, format.name == "mpegts" else { return false }
        // Packets of 192 bytes have 4 bytes with a time before their sync byte (ISO/IEC 13818-1, 2.4.3.2).
        return ![0, 4].contains { $0 < bytes.count && bytes[$0] == 0x47 }
    }

    private init(_ format: DemuxerFormat) throws(NaluError) {
        if let first = format.name.split(separator: ",").first, Self.playlists.contains(String(first)) {
            throw NaluError(
                .unsupportedDataFormat,
                "the input is a playlist (\(first)), which names other files; expected a media file")
        }
        switch format.name {
        case "h264": self = .raw(.h264)
        case "hevc": self = .raw(.hevc)
        default: self = .contained(format)
        }
    }

    /// Returns the codec of a byte stream with a sequence parameter set. libavformat requires more pictures than a
    /// short stream has. It also takes NAL units of higher layers for a sign against H.265.
    private static func rawCodec(_ bytes: Span<UInt8>) -> VideoCodec? {
        var start = StartCodeScanner.endOfZeros(in: bytes, from: 0)
        // A forbidden_zero_bit of 1 shows a program stream or older video.
        guard start >= 2, start + 1 < bytes.count, bytes[start] == 1, bytes[start + 1] & 0x80 == 0 else { return nil }
        var detector = CodecDetector()
        while start < bytes.count, !detector.isDone {
            let begin = start + 1
            let next = StartCodeScanner.nextStartCode(in: bytes, from: begin)
            detector.add([UInt8](copying: bytes.extracting(begin..<min(next, begin + 4096))))
            start = next + 2
        }
        return detector.proven
    }

    private static func unknown(_ stream: InputStream, _ error: Int32) -> NaluError {
        if let failure = stream.error { return failure }
        if error == nalu_ff_out_of_memory() {
            return NaluError(.allocationFailed, "no memory for a reader")
        }
        return NaluError(
            .unsupportedDataFormat,
            stream.input.size == 0 || stream.beginning.isEmpty
                ? "the input is empty; expected a media file"
                : "the input is not a media file: the installed FFmpeg does not detect its format; expected MP4, MOV, Matroska, MPEG-TS, FLV, raw H.264 or H.265, or another container with video"
        )
    }
}

/// A format that libavformat has a demuxer for. FFmpeg never frees it.
@safe
struct DemuxerFormat {
    private let pointer: UnsafePointer<AVInputFormat>
    /// FFmpeg's name of the format, or several names with commas between them.
    let name: String

    private init?(_ pointer: UnsafePointer<AVInputFormat>?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe (self.pointer, name) = (pointer, String(cString: pointer.pointee.name))
    }

    /// nil if libavformat has no such demuxer.
    init?(named name: String) {
        unsafe self.init(av_find_input_format(name))
    }

    /// True for a device, or for a format that opens other files by itself.
    var readsNoFile: Bool { unsafe pointer.pointee.flags & AVFMT_NOFILE != 0 }

    /// Returns the format of an input and libavformat's score of this guess, or an error of FFmpeg's.
    static func probe(_ stream: InputStream) -> (DemuxerFormat?, score: Int32) {
        var format: UnsafePointer<AVInputFormat>?
        // The bytes that identify a format are at the beginning or after tags, so 1 MB suffices for files of any size.
        let score = unsafe av_probe_input_buffer2(stream.context.pointer, &format, nil, nil, 0, 1 << 20)
        return unsafe (DemuxerFormat(format), score)
    }

    /// Opens a demuxer of this format, whose context has its input. Frees the context and returns an error of FFmpeg's
    /// if this fails.
    func open(_ context: FFmpegStruct<AVFormatContext>, _ settings: FFmpegSettings) -> Int32 {
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context.pointer
        return unsafe settings.used { unsafe avformat_open_input(&context, nil, pointer, $0) }
    }
}
