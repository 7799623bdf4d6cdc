internal import CFFmpeg
internal import NaluBase
internal import NaluBitstream

/// The format of an input, named by the client or detected from the content.
@safe
enum InputFormat {
    case raw(VideoCodec)
    /// A format that libavformat has a demuxer for. The pointer stays valid until the process ends.
    case contained(UnsafePointer<AVInputFormat>)

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
        guard !name.contains(","), let format = unsafe av_find_input_format(name),
            unsafe format.pointee.flags & AVFMT_NOFILE == 0
        else {
            throw NaluError(
                .unsupportedDataFormat,
                "\(options.face.format) is \"\(name)\", which FFmpeg has no demuxer for; expected mp4, mov, matroska, mpegts, flv, h264, hevc, or another name of FFmpeg's"
            )
        }
        return unsafe try InputFormat(format)
    }

    private static func found(_ stream: InputStream) throws(NaluError) -> InputFormat {
        var format: UnsafePointer<AVInputFormat>?
        // The bytes that identify a format are at the beginning or after tags, so 1 MB suffices for files of any size.
        let score = stream.locale.ofC { unsafe av_probe_input_buffer2(stream.context, &format, nil, nil, 0, 1 << 20) }
        if stream.error == nil, stream.locale.hasLackedMemory { throw unknown(stream, nalu_ff_out_of_memory()) }
        if stream.error == nil, unsafe TransportPackets.fill(stream.beginning),
            let transport = unsafe av_find_input_format("mpegts")
        {
            return unsafe .contained(transport)
        }
        if let format = unsafe format, score > weakScore { return unsafe try InputFormat(format) }
        if stream.error == nil, let codec = unsafe rawCodec(stream.beginning) { return .raw(codec) }
        guard let format = unsafe format, unsafe !isMistaken(format, score, stream.beginning) else {
            throw unknown(stream, score)
        }
        return unsafe try InputFormat(format)
    }

    /// Returns whether libavformat mistakes the input for a transport stream. libavformat accepts less than ten
    /// packets' worth of any bytes if one of them looks like the beginning of a packet (mpegts.c, mpegts_probe).
    private static func isMistaken(
        _ format: UnsafePointer<AVInputFormat>, _ score: Int32, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        guard score <= AVPROBE_SCORE_MAX / 4, unsafe String(cString: format.pointee.name) == "mpegts" else {
            return false
        }
        // Packets of 192 bytes have 4 bytes with a time before their sync byte (ISO/IEC 13818-1, 2.4.3.2).
        for offset in [0, 4] where offset < bytes.count {
            if unsafe bytes[offset] == 0x47 { return false }
        }
        return true
    }

    private init(_ format: UnsafePointer<AVInputFormat>) throws(NaluError) {
        let name = unsafe String(cString: format.pointee.name)
        if let first = name.split(separator: ",").first, Self.playlists.contains(String(first)) {
            throw NaluError(
                .unsupportedDataFormat,
                "the input is a playlist (\(first)), which names other files; expected a media file")
        }
        switch name {
        case "h264": self = .raw(.h264)
        case "hevc": self = .raw(.hevc)
        default: unsafe self = .contained(format)
        }
    }

    /// Returns the codec of a byte stream with a sequence parameter set. libavformat requires more pictures than a
    /// short stream has. It also takes NAL units of higher layers for a sign against H.265.
    private static func rawCodec(_ bytes: UnsafeRawBufferPointer) -> VideoCodec? {
        guard let base = bytes.baseAddress else { return nil }
        var start = unsafe StartCodeScanner.endOfZeros(base, from: 0, count: bytes.count)
        // A forbidden_zero_bit of 1 shows a program stream or older video.
        guard start >= 2, start + 1 < bytes.count, unsafe bytes[start] == 1, unsafe bytes[start + 1] & 0x80 == 0 else {
            return nil
        }
        var detector = CodecDetector()
        while start < bytes.count, !detector.isDone {
            let begin = start + 1
            let next = unsafe StartCodeScanner.nextStartCode(base, from: begin, count: bytes.count)
            unsafe detector.add([UInt8](bytes[begin..<min(next, begin + 4096)]))
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
            unsafe stream.input.size == 0 || stream.beginning.isEmpty
                ? "the input is empty; expected a media file"
                : "the input is not a media file: the installed FFmpeg does not know its format; expected MP4, MOV, Matroska, MPEG-TS, FLV, raw H.264 or H.265, or another container with video"
        )
    }
}
