internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// A muxer of libavformat that writes to an output. Its header is written already.
final class Muxer {
    private let context: FFmpegStruct<AVFormatContext>
    private let packet: Packet
    private let stream: OutputStream
    private let isFragmented: Bool
    private let spelling: Spelling
    private let flushesAlways: Bool
    /// Whether the output is flushed after a packet if the last flush was ``flushInterval`` before.
    private let flushesSoon: Bool
    /// The host time of the last flush in nanoseconds.
    private var lastFlush: Int64 = 0
    /// 10 ms: each frame of live video is in the file at once, and fast writing has few more system calls.
    private static let flushInterval: Int64 = 10_000_000
    private let container: OutputFormat
    private let passed: [PassedTrack]
    /// The queue that sorts packets by decode time; nil if there is only one track.
    private let interleaver: Interleaver?
    /// The edit list of a fragmented file, which replaces the one that the muxer writes with the first fragment.
    var edits: EditList? {
        get { stream.edits }
        set { stream.edits = newValue }
    }
    /// Packets of copied tracks before this time are left out, and not counted.
    var begin = MediaTime.invalid
    /// Packets of copied tracks from this time on are left out, and not counted.
    var end = MediaTime.invalid
    /// The number of packets of copied tracks that could not be written.
    private(set) var leftOutCount: Int = 0
    /// The size of the output up to its last complete fragment, to which a failed write truncates it.
    private var committed: Int64 = 0
    /// The size of the container's header; of a fragmented file, without the index, which precedes the first fragment.
    private var headerSize: Int64 = 0
    /// Whether the output has packets that can be played. A fragment is written when the next one begins.
    private(set) var holdsPackets = false

    /// The unit of the times that ``write(_:)`` takes, in seconds: numerator / denominator.
    private(set) var timeUnit: (numerator: Int32, denominator: Int32) = (1, 1)

    /// - Parameter keepsNegativeTimes: whether decode times before 0 stay, although the muxer could shift them.
    init(
        _ container: OutputFormat, output: any ByteOutput, options: WriterOptions, format: FormatDescription,
        track trackOptions: TrackOptions, clock: TrackClock?, keepsNegativeTimes: Bool, passed: [PassedTrack]
    ) throws(NaluError) {
        self.container = container
        self.passed = passed
        interleaver = passed.isEmpty ? nil : Interleaver(passed, isLive: output.isLive)
        isFragmented = options.isFragmented
        spelling = options.spelling
        flushesAlways = isFragmented || !output.canSeek
        // Other movies are of no use before their end.
        flushesSoon = !container.isBaseMedia
        guard let stream = OutputStream(output, seeks: !isFragmented) else { throw Self.outOfMemory }
        self.stream = stream
        packet = try Packet()
        var made: UnsafeMutablePointer<AVFormatContext>?
        let result = unsafe avformat_alloc_output_context2(&made, nil, container.muxerName, nil)
        guard let muxer = unsafe FFmpegStruct(made) else {
            if result == nalu_ff_out_of_memory() { throw Self.outOfMemory }
            throw NaluError(
                .unsupportedDataFormat,
                "the installed FFmpeg has no muxer for \(container); expected another container, or an FFmpeg with it")
        }
        context = muxer
        unsafe context.pb = stream.context.pointer
        context.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
        context.flush_packets = 0
        unsafe nalu_ff_set_reread(context.pointer, output.readableDescriptor)
        if keepsNegativeTimes { context.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED }
        let track = try addStream()
        try format.describe(track, container, parameterSetsInBand: options.parameterSetsInBand)
        if trackOptions.rotation != 0 || trackOptions.isMirrored {
            let set = unsafe nalu_ff_set_orientation(
                track.pointer, Int32(trackOptions.rotation / 90), trackOptions.isMirrored ? 1 : 0, Int32(format.width),
                Int32(format.height))
            guard set >= 0 else { throw Self.outOfMemory }
        }
        trackOptions.metadata.apply(to: context, in: container)
        track.disposition = AV_DISPOSITION_DEFAULT
        if trackOptions.language != "und" { track.setTag("language", trackOptions.language) }
        guard trackOptions.sideData.apply(to: track) else { throw Self.outOfMemory }
        if let clock {
            track.time_base = AVRational(num: 1, den: clock.timescale)
        }
        for other in passed {
            guard other.describe(try addStream(), in: container), other.prepare(for: container) else {
                throw Self.outOfMemory
            }
        }
        try writeHeader(options, clock)
        timeUnit = (track.time_base.num, track.time_base.den)
    }

    deinit {
        unsafe context.pb = nil
        unsafe avformat_free_context(context.pointer)
    }

    private func addStream() throws(NaluError) -> ContainerStream {
        guard let stream = unsafe ContainerStream(avformat_new_stream(context.pointer, nil)) else {
            throw Self.outOfMemory
        }
        return stream
    }

    private static var outOfMemory: NaluError {
        NaluError(.allocationFailed, "no memory for a muxer")
    }

    private func writeHeader(_ options: WriterOptions, _ clock: TrackClock?) throws(NaluError) {
        try check(
            stream.locale.result {
                unsafe settings(options, clock).used { unsafe avformat_write_header(context.pointer, $0) }
            })
        // The output is the new file from now on, although its first bytes may be in the buffer still.
        stream.begin()
        if flushesAlways { stream.flush() }
        try check(0)
        headerSize = stream.size
    }

    private func settings(_ options: WriterOptions, _ clock: TrackClock?) -> FFmpegSettings {
        let settings = FFmpegSettings()
        if let clock {
            settings.set("video_track_timescale", "\(clock.timescale)")
            // The edit list and the movie's durations use this unit, and are exact too.
            settings.set("movie_timescale", "\(clock.timescale)")
            settings.set("use_editlist", "1")
            settings.set("write_tmcd", "0")
            // Old versions of FFmpeg call the mapping of FLAC and TrueHD experimental, although it has been published.
            settings.set("strict", "experimental")
        }
        if options.isFragmented {
            // The index is written with the first fragment, when the start of presentation is known.
            settings.set("movflags", "frag_keyframe+delay_moov+default_base_moof")
            if options.fragmentDuration > 0 {
                settings.set("frag_duration", "\(Int64((options.fragmentDuration * 1_000_000).rounded()))")
            }
        } else if options.fastStart {
            settings.set("movflags", "faststart")
        }
        if container == .matroska {
            // Checksums of clusters, optional in RFC 8794 11.3.1, would take more time than all other work.
            settings.set("write_crc32", "0")
        }
        if container == .flv && !stream.output.canSeek {
            settings.set("flvflags", "no_duration_filesize")
        }
        if options.creationTime > 0 {
            unsafe av_dict_set(&context.pointer.pointee.metadata, "creation_time", options.creationDate, 0)
        }
        return settings
    }

    /// The times of a sample in units of ``timeUnit``, and what the container states about it.
    struct Entry {
        let presentation: Int64
        let decode: Int64
        let duration: Int64
        let isKeyFrame: Bool
        /// The codec configuration from this sample on; nil if it does not change.
        let configuration: [UInt8]?
    }

    /// Writes a sample in the container's form.
    func write(_ bytes: Span<UInt8>, _ entry: Entry) throws(NaluError) {
        guard bytes.count <= Int(Int32.max) else {
            throw NaluError(.unsupportedDataFormat, "the sample has \(bytes.count) bytes; expected at most 2147483647")
        }
        if interleaver != nil { try packet.copy(bytes) }
        if let configuration = entry.configuration { try packet.attach(configuration: configuration) }
        packet.presentation = entry.presentation
        packet.decode = entry.decode
        packet.duration = entry.duration
        packet.isKey = entry.isKeyFrame
        packet.streamIndex = 0
        if let interleaver {
            try interleaver.add(packet, track: 0)
            return try writeInOrder(all: false)
        }
        // The packet is not reference-counted: the muxer reads or copies the bytes before it returns.
        try written(packet.borrowing(bytes) { writePacket() })
    }

    private func writePacket() -> Int32 {
        stream.output.beginPacket(isVideo: packet.streamIndex == 0, isKeyFrame: packet.isKey)
        return stream.locale.result { unsafe av_write_frame(context.pointer, packet.fields.pointer) }
    }

    private var isFlushDue: Bool {
        let now = MonotonicClock.nanoseconds
        guard now - lastFlush >= Self.flushInterval else { return false }
        lastFlush = now
        return true
    }

    private func written(_ result: Int32) throws(NaluError) {
        if result >= 0 && (flushesAlways || flushesSoon && isFlushDue) {
            stream.flush()
        }
        try check(result)
        stream.output.endPacket()
        committed = stream.size
        holdsPackets = holdsPackets || !isFragmented || committed > headerSize
    }

    /// Writes a packet of a copied track, and leaves it empty.
    ///
    /// - Parameter origin: the time that is subtracted from all times.
    func pass(_ packet: Packet, of track: PassedTrack, origin: MediaTime) throws(NaluError) {
        guard let place = passed.firstIndex(where: { $0 === track }), let interleaver else { return }
        guard track.setTimes(of: packet, in: timeBase(ofTrack: place + 1), origin: origin) else {
            leftOutCount += 1
            return packet.clear()
        }
        if track.format != nil, !container.isBaseMedia {
            // These containers have no edit list, and would begin with this packet. FFmpeg reads no time from a block of
            // Matroska before 0. In the others, the packet that ends at 0 is the encoder's priming.
            let end = packet.presentation &+ (container == .matroska ? 0 : packet.duration)
            guard end >= 0 else { return packet.clear() }
        }
        guard begins(packet, of: track, place + 1) else { return packet.clear() }
        // The first converted packet has the configuration of the track, so it must not be one that is left out above.
        guard track.convert(packet) >= 0 else {
            // An audio frame without a readable header is useless.
            leftOutCount += 1
            return packet.clear()
        }
        try interleaver.add(packet, track: place + 1)
        try writeInOrder(all: false)
    }

    /// Returns whether a part of the packet is at ``begin`` or later. A subtitle that spans ``begin`` is cut to start
    /// there.
    private func begins(_ packet: Packet, of track: PassedTrack, _ number: Int) -> Bool {
        guard begin.isNumeric,
            let first = TimeBase(timeBase(ofTrack: number)).units(begin)
        else { return true }
        let (start, duration) = (packet.presentation, max(packet.duration, 0))
        guard start < first else { return true }
        if track.parameters.codec_type == AVMEDIA_TYPE_SUBTITLE {
            guard start &+ duration > first else { return false }
            packet.presentation = first
            packet.decode = first
            packet.duration = start &+ duration &- first
            return true
        }
        // An edit list hides the packet before ``begin``. Audio decoders need this packet, because its end overlaps the
        // next one.
        return container.isBaseMedia && start &+ 2 &* duration > first
    }

    /// Writes the packets whose order is known.
    ///
    /// - Parameter all: whether no more packets follow.
    private func writeInOrder(all: Bool) throws(NaluError) {
        guard let interleaver else { return }
        while let track = interleaver.next(all: all, timeBase: { timeBase(ofTrack: $0) }) {
            guard interleaver.take(into: packet, track: track) else { return }
            if track > 0, isAfterEnd(packet.presentation, track) {
                packet.clear()
                continue
            }
            packet.streamIndex = track
            let result = writePacket()
            packet.clear()
            if result < 0, result != nalu_ff_out_of_memory(), stream.failure == 0, track > 0 {
                // A copied packet that the muxer cannot read was corrupt in its source file.
                leftOutCount += 1
                continue
            }
            try written(result)
        }
    }

    private func isAfterEnd(_ time: Int64, _ track: Int) -> Bool {
        guard end.isNumeric else { return false }
        return TimeBase(timeBase(ofTrack: track)).time(time) >= end
    }

    private func timeBase(ofTrack track: Int) -> AVRational {
        unsafe ContainerStream(context.streams[track])?.time_base ?? AVRational(num: 1, den: 1)
    }

    /// Writes the end of the file.
    ///
    /// - Parameters:
    ///   - format: the format description, if parameter sets are among the samples although the index does not state
    ///     that; else nil.
    ///   - edits: an edit list that replaces the muxer's, for a movie that is not fragmented; else nil.
    func finish(parameterSetsInBand format: FormatDescription?, edits: EditList?) throws(NaluError) {
        try writeInOrder(all: true)
        if isFragmented {
            let result = stream.locale.result { unsafe av_write_frame(context.pointer, nil) }
            stream.flush()
            try check(result)
            committed = stream.size
        }
        if let format, container.isBaseMedia {
            stream.finder = SampleEntryFinder(
                type: format.isHEVC ? "hvc1" : "avc1", configuration: format.isHEVC ? "hvcC" : "avcC")
        }
        if edits != nil {
            stream.flush()
            stream.keepsIndex = true
        }
        let result = stream.locale.result { unsafe av_write_trailer(context.pointer) }
        stream.flush()
        try check(result)
        if let format, container.isBaseMedia { try declare(parameterSetsInBand: format) }
        if let edits { try hide(edits) }
    }

    /// Changes the index, which is written already, to state that parameter sets are among the samples.
    private func declare(parameterSetsInBand format: FormatDescription) throws(NaluError) {
        guard let entry = stream.finder?.entry else {
            throw NaluError(
                .unsupportedDataFormat,
                "the installed FFmpeg writes an index in which parameter sets cannot change; expected matroska, or a new file"
            )
        }
        stream.replace(Array((format.isHEVC ? "hev1" : "avc3").utf8), at: entry.type)
        let (complete, incomplete) = (format.record(isComplete: true), format.record(isComplete: false))
        for place in complete.indices where complete[place] != incomplete[place] {
            stream.replace([incomplete[place]], at: entry.record + Int64(place))
        }
        try check(0)
    }

    /// Replaces the edit list of the first track in the written index.
    private func hide(_ edits: EditList) throws(NaluError) {
        guard let index = stream.index,
            let bytes = edits.applied(to: index.bytes, canGrow: index.start + Int64(index.bytes.count) == stream.size)
        else {
            throw NaluError(
                .unsupportedDataFormat,
                "the edit list that hides samples does not fit into the index, which is in front of the samples; "
                    + "expected an index at the end"
            )
        }
        stream.replace(bytes, at: index.start)
        try check(0)
    }

    /// Throws for an error of the muxer, or for a failure of the output that the muxer does not report.
    private func check(_ result: Int32) throws(NaluError) {
        if stream.failure != 0 {
            // If the output could not begin, its descriptor still is the existing file.
            if isFragmented && stream.refusal == nil {
                stream.output.cut(to: committed)
            }
            throw NaluError(
                .inputOutput, spelling.writingFailed + (stream.refusal ?? SystemError.text(stream.failure)))
        }
        guard result < 0 else { return }
        if result == nalu_ff_out_of_memory() { throw Self.outOfMemory }
        throw NaluError(
            .unsupportedDataFormat,
            "FFmpeg's muxer for \(container) reports: \(SystemError.text(ffmpeg: result))")
    }
}
