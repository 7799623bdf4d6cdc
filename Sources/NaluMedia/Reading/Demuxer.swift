internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// A libavformat demuxer over an input. Only ``findStreamFacts(_:)`` opens decoders.
final class Demuxer {
    private let context: FFmpegStruct<AVFormatContext>
    private let stream: InputStream
    private let input: DemuxerFormat
    /// mp4, mov: true if a segment index states where all segments begin and end.
    var hasSegmentIndex: Bool { stream.input.hasSegmentIndex }
    /// mp4, mov: true if the file has fragments, or announces them.
    var hasFragments: Bool { stream.input.hasFragments }
    var hasCleanAperture: Bool { stream.input.hasCleanAperture }
    /// FFmpeg's name of the format, or several names with commas between them.
    let format: String
    /// flv: the video codec, if the first video tag has the form of enhanced RTMP; otherwise nil.
    private(set) var enhancedCodec: EnhancedFLV?

    init(
        _ stream: InputStream, _ input: DemuxerFormat, _ options: ReaderOptions, signals: ReaderSignals
    ) throws(NaluError) {
        self.stream = stream
        self.input = input
        self.options = options
        self.signals = signals
        format = input.name
        guard let made = unsafe FFmpegStruct(avformat_alloc_context()) else { throw Self.outOfMemory }
        context = made
        unsafe context.pb = stream.context.pointer
        context.flags |= AVFMT_FLAG_CUSTOM_IO
        unsafe nalu_ff_open_nothing(context.pointer)
        unsafe context.interrupt_callback = AVIOInterruptCB(
            callback: { unsafe (owner($0) as ReaderSignals).isCancelled ? 1 : 0 },
            opaque: Unmanaged.passUnretained(signals).toOpaque())
        if !isBaseMedia { stream.input.stop() }
        stream.follow(format)
        if hasExactTimes {
            // These flags make libavformat deliver packets as they lie in the file.
            context.flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN
        }
        if isBaseMedia { unindexed = Self.reasonWithoutIndex(stream.beginning) }
        if format == "flv" { enhancedCodec = EnhancedFLV(stream.beginning) }
        let error = stream.locale.result {
            let settings = FFmpegSettings()
            settings.set("protocol_whitelist", "none")
            if isBaseMedia && options.ignoresEditList { settings.set("ignore_editlist", "1") }
            return input.open(context, settings)
        }
        // libavformat has freed the context if this failed.
        isOpen = error >= 0
        if error < 0 { throw failure(error, whileOpening: true) }
        // libavformat mistakes a refused box for the end of the input.
        if let refusal = stream.input.refusal { throw refusal }
    }

    /// mp4, mov: the reason why a complete file has no index (moov); nil if its beginning shows no reason.
    private var unindexed: String?

    /// Returns the reason that the boxes at the beginning show (ISO/IEC 14496-12 4.2): the file is a still picture
    /// (ISO/IEC 23008-12) or a segment of a stream.
    private static func reasonWithoutIndex(_ bytes: [UInt8]) -> String? {
        var start = 0
        while start + 12 <= bytes.count {
            func word(_ offset: Int) -> UInt32 {
                bytes[start + offset..<start + offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
            }
            switch word(4) {
            case 0x6674_7970:  // ftyp
                let brand = Array(bytes[start + 8..<start + 12])
                if ["heic", "heix", "heim", "heis", "mif1", "avif"].contains(where: { Array($0.utf8) == brand }) {
                    return "the file is a still picture (HEIF); expected a video"
                }
            case 0x7374_7970, 0x7369_6478, 0x6D6F_6F66:  // styp, sidx, moof
                return
                    "the file is a media segment without the index (moov) of its initialization segment; expected both in one file, the initialization segment first"
            case 0x6D6F_6F76: return nil  // moov
            default: break
            }
            guard word(0) >= 8 else { return nil }
            start += Int(word(0))
        }
        return nil
    }

    private let signals: ReaderSignals
    private let options: ReaderOptions
    private var hasStreamFacts = false
    private var isOpen = true

    deinit {
        if isOpen { unsafe context.free(avformat_close_input) }
    }

    /// True if the container states where each sample begins and when it is presented.
    var hasExactTimes: Bool { isBaseMedia || format.hasPrefix("matroska") || format == "flv" }
    var isBaseMedia: Bool { format.hasPrefix("mov,") }
    /// True if the container states the sample rate and channels of audio. MPEG-TS does not, and in FLV they are always
    /// the same.
    var statesAudioFacts: Bool { isBaseMedia || format.hasPrefix("matroska") }
    var isTransportStream: Bool { format == "mpegts" }
    /// True if times have 33 bits.
    var hasShortTimes: Bool { isTransportStream || format == "mpeg" }

    static var cannotRewind: NaluError {
        NaluError(.badData, "the input cannot be read from its beginning again")
    }

    private static var outOfMemory: NaluError {
        NaluError(.allocationFailed, "no memory for a demuxer")
    }

    static var cancelled: NaluError {
        NaluError(.cancelled, "the reader was cancelled")
    }

    /// Returns the error for one of FFmpeg's errors.
    func failure(_ error: Int32, whileOpening: Bool = false) -> NaluError {
        if signals.isCancelled { return Self.cancelled }
        if let failure = stream.error { return failure }
        let name = format.prefix { $0 != "," }
        if error == nalu_ff_out_of_memory() {
            // A corrupt count usually causes this error. Memory is really lacking only if 16 MB cannot be allocated
            // either.
            guard let some = unsafe av_malloc(16 << 20) else { return Self.outOfMemory }
            unsafe av_free(some)
            return NaluError(
                .badData,
                "a size or a count in the \(name) data is corrupt: it needs more memory than there is")
        }
        guard whileOpening else {
            return NaluError(.badData, "reading the \(name) data failed: \(SystemError.text(ffmpeg: error))")
        }
        if isBaseMedia && (error == nalu_ff_invalid_data() || error == nalu_ff_end_of_file()) {
            if let unindexed { return NaluError(.unsupportedDataFormat, unindexed) }
            return NaluError(
                .badData,
                stream.input.canSeek || options.spools
                    ? "the mp4 or mov has no readable index (moov): it was not completed, or is corrupt; expected a complete file, or a fragmented one"
                    : "the mp4 or mov has no readable index (moov) at its beginning, and the input cannot seek; expected a fragmented file, one with the index in front, a seek function, or \(options.spelling.spool)"
            )
        }
        return NaluError(
            .badData,
            "the input looks like \(name), but cannot be read: \(SystemError.text(ffmpeg: error)); expected a complete file"
        )
    }

    var metadata: ContainerMetadata { unsafe ContainerMetadata(context.metadata, format: format) }

    var chapterCount: Int { Int(context.nb_chapters) }

    var streamCount: Int { Int(context.nb_streams) }

    /// The tracks of each program of a transport stream, by the last tables that were read (ISO/IEC 13818-1 2.4.4.8).
    var programs: [Set<Int>] {
        (0..<Int(context.nb_programs)).compactMap { number in
            guard let program = unsafe FFmpegStruct(context.programs[number]) else { return nil }
            return unsafe Set((0..<Int(program.nb_stream_indexes)).map { unsafe Int(program.stream_index[$0]) })
        }
    }

    func track(_ index: Int) -> ContainerStream? {
        guard index >= 0 && index < streamCount else { return nil }
        return unsafe ContainerStream(context.streams[index])
    }

    /// mp4, mov: returns whether every sample in the index ends at or before byte `size`.
    func hasAllSamples(within size: Int64) -> Bool {
        for index in 0..<streamCount {
            guard let stream = track(index) else { return false }
            for number in 0..<(stream.indexCount) {
                guard let entry = stream.indexEntry(number),
                    entry.pos &+ Int64(entry.size) <= size
                else { return false }
            }
        }
        return true
    }

    /// mp4, mov: returns whether samples of a track are in fragments. The edit list hides none of them.
    func isFragmented(_ index: Int) -> Bool {
        guard isBaseMedia, hasFragments, let track = track(index) else { return false }
        return Int64(track.indexCount) > track.nb_frames
    }

    /// mp4, mov: returns the displayed ranges of a track; nil if there is at most one. In a file with fragments, only
    /// the first entry of an edit list counts.
    func editRanges(_ index: Int) -> EditRanges? {
        guard isBaseMedia, !options.ignoresEditList, !hasFragments, let track = track(index) else { return nil }
        return EditRanges(
            track, stream.input.edits(ofTrack: index), timescale: Int64(track.time_base.den),
            movieTimescale: stream.input.movieTimescale)
    }

    /// mp4, mov: returns the units by which libavformat's times of a sample of a fragmented file are late.
    ///
    /// - Parameter place: the offset of the sample in the file.
    func lateness(_ index: Int, at place: Int64 = .max) -> Int64 {
        guard isBaseMedia, hasFragments, let track = track(index), track.parameters.codec_type == AVMEDIA_TYPE_VIDEO
        else { return 0 }
        return stream.input.lateness(ofTrack: UInt32(truncatingIfNeeded: track.id), sampleAt: place)
    }

    /// Corrects the presentation time of a packet that libavformat has read. The decode time stays, because it finds the
    /// sample in libavformat's index.
    private func correctTime(_ packet: Packet) {
        guard packet.presentation != Packet.noTime else { return }
        packet.presentation = packet.presentation &- lateness(packet.streamIndex, at: packet.position)
    }

    /// True if further streams may appear.
    var isOpenEnded: Bool { context.ctx_flags & AVFMTCTX_NOHEADER != 0 }

    /// The duration of the entire file, as the file states it.
    var duration: MediaTime {
        context.duration > 0 ? MediaTime(value: context.duration, timescale: AV_TIME_BASE) : .invalid
    }

    var majorBrand: String? { unsafe FFmpegText.tag("major_brand", in: context.metadata) }

    /// Makes libavformat examine packets for audio properties that the container does not state. The packets are
    /// delivered later. One call examines all tracks, because a second call makes libavformat fail. Afterwards the
    /// packets of all audio tracks are read.
    func findStreamFacts(_ limit: PictureLimit) throws(NaluError) {
        guard !hasStreamFacts else { return }
        hasStreamFacts = true
        for index in 0..<streamCount {
            guard let stream = track(index),
                stream.parameters.codec_type == AVMEDIA_TYPE_AUDIO
            else { continue }
            stream.skip(false)
        }
        context.skip_estimate_duration_from_pts = 1
        // In a program stream that can seek, libavformat would begin to read anew from here, and lose the pictures that
        // its parsers have begun. (A transport stream is read anew from its beginning.)
        let seekable = stream.context.seekable
        if format == "mpeg" { stream.context.seekable = 0 }
        defer { stream.context.seekable = seekable }
        // The decoders that libavformat opens may not use more memory than the client allows.
        stream.locale.ofC { unsafe nalu_ff_find_stream_facts(context.pointer, limit.forFFmpeg) }
        if stream.locale.hasLackedMemory { throw failure(nalu_ff_out_of_memory()) }
    }

    /// Selects whether packets are delivered as they lie in the file, from the next seek on. A parser that begins in
    /// the middle of a stream would write to FFmpeg's log that earlier data is missing.
    func skipParsing(_ isSkipped: Bool) {
        context.flags = context.flags & ~AVFMT_FLAG_NOPARSE | (isSkipped ? AVFMT_FLAG_NOPARSE : 0)
    }

    /// Reads the next packet. Returns one of FFmpeg's errors if this fails.
    func read(_ packet: Packet) -> Int32 {
        // FFmpeg writes over the content of a packet, and does not release it.
        packet.clear()
        let result = stream.locale.result { unsafe av_read_frame(context.pointer, packet.fields.pointer) }
        if result < 0 { packet.clear() } else if isBaseMedia { correctTime(packet) }
        return result
    }

    /// Returns a new demuxer at the beginning of the input. This one must not be used any more.
    func reopened() throws(NaluError) -> Demuxer {
        guard stream.rewind() else {
            throw stream.error ?? Self.cannotRewind
        }
        return try Demuxer(stream, input, options, signals: signals)
    }

    /// Seeks to a place at or before a decode time where decoding can begin.
    func seek(track: Int, to time: Int64) -> Bool {
        seek(Int32(track), time, AVSEEK_FLAG_BACKWARD)
    }

    /// - Parameter first: the first decode time of the track, or a time close to it.
    func seekToBegin(track: Int, first: Int64) -> Bool {
        if !hasExactTimes && seek(toByte: 0) { return true }
        return seek(track: track, to: first) || seek(track: track, to: -(1 << 40)) || seek(toByte: 0)
    }

    func seek(toByte offset: Int64) -> Bool {
        seek(-1, offset, AVSEEK_FLAG_BYTE)
    }

    private func seek(_ track: Int32, _ place: Int64, _ flags: Int32) -> Bool {
        stream.locale.ofC { unsafe av_seek_frame(context.pointer, track, place, flags) >= 0 }
    }
}
