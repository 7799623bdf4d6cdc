internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// A muxer of libavformat that writes to an output. Its header is written already.
@safe
final class Muxer {
    private var context: UnsafeMutablePointer<AVFormatContext>?
    private let packet: Packet
    private let stream: OutputStream
    private let rereadDescriptor: UnsafeMutablePointer<Int32>
    private let isFragmented: Bool
    private let face: Face
    private let flushesAlways: Bool
    private let container: OutputFormat
    private let passed: [PassedTrack]
    /// The queue that sorts packets by decode time; nil if there is only one track.
    private let interleaver: Interleaver?
    /// The edit list of a fragmented file, which replaces the one that the muxer writes with the first fragment.
    var edits: EditList? {
        get { stream.edits }
        set { stream.edits = newValue }
    }
    /// Packets of passed tracks before this time are left out, and not counted.
    var begin = MediaTime.invalid
    /// Packets of passed tracks from this time on are left out, and not counted.
    var end = MediaTime.invalid
    /// The number of packets of passed tracks that could not be written.
    private(set) var leftOutCount: Int = 0
    /// The size of the output up to its last complete fragment, to which a failed write truncates it.
    private var committed: Int64 = 0

    /// The unit of the times that ``write(_:)`` takes, in seconds: numerator / denominator.
    private(set) var timeUnit: (numerator: Int32, denominator: Int32) = (1, 1)

    /// - Parameter keepsNegativeTimes: whether decode times before 0 stay, although the muxer could shift them.
    init(
        _ container: OutputFormat, output: any ByteOutput, options: WriterOptions, format: FormatDescription,
        track trackOptions: TrackOptions, clock: TrackClock?, keepsNegativeTimes: Bool, passed: [PassedTrack]
    ) throws(NaluError) {
        self.container = container
        self.passed = passed
        interleaver = passed.isEmpty ? nil : Interleaver(passed)
        isFragmented = options.isFragmented
        face = options.face
        flushesAlways = isFragmented || !output.canSeek
        guard let stream = OutputStream(output, seeks: !isFragmented) else { throw Self.outOfMemory }
        self.stream = stream
        packet = try Packet()
        unsafe rereadDescriptor = .allocate(capacity: 1)
        unsafe rereadDescriptor.initialize(to: output.readableDescriptor)
        let made = unsafe avformat_alloc_output_context2(&context, nil, container.muxerName, nil)
        guard made >= 0, let muxer = unsafe context, let track = unsafe ContainerStream(avformat_new_stream(muxer, nil))
        else {
            if made < 0 && made != nalu_ff_out_of_memory() {
                throw NaluError(
                    .unsupportedDataFormat,
                    "the installed FFmpeg has no muxer \(container)")
            }
            throw Self.outOfMemory
        }
        unsafe muxer.pointee.pb = stream.context
        unsafe muxer.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
        unsafe muxer.pointee.flush_packets = 0
        unsafe nalu_ff_set_reread(muxer, rereadDescriptor)
        if keepsNegativeTimes {
            unsafe muxer.pointee.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED
        }
        try format.describe(track, container, setsInBand: options.setsInBand)
        if trackOptions.rotation != 0 || trackOptions.isMirrored {
            let set = unsafe nalu_ff_set_orientation(
                track.pointer, Int32(trackOptions.rotation / 90), trackOptions.isMirrored ? 1 : 0, Int32(format.width),
                Int32(format.height))
            guard set >= 0 else { throw Self.outOfMemory }
        }
        guard trackOptions.sideData.apply(to: track) else { throw Self.outOfMemory }
        if let clock {
            track.timeBase = AVRational(num: 1, den: clock.timescale)
        }
        for other in passed {
            guard let stream = unsafe ContainerStream(avformat_new_stream(muxer, nil)), other.describe(stream),
                other.prepare(for: container)
            else {
                throw Self.outOfMemory
            }
        }
        try unsafe writeHeader(muxer, options, clock)
        timeUnit = (track.timeBase.num, track.timeBase.den)
    }

    deinit {
        if let context = unsafe context {
            unsafe context.pointee.pb = nil
            unsafe avformat_free_context(context)
        }
        unsafe rereadDescriptor.deallocate()
    }

    private static var outOfMemory: NaluError {
        NaluError(.allocationFailed, "no memory for a muxer")
    }

    private func writeHeader(
        _ muxer: UnsafeMutablePointer<AVFormatContext>, _ options: WriterOptions, _ clock: TrackClock?
    ) throws(NaluError) {
        var settings: OpaquePointer?
        defer { unsafe av_dict_free(&settings) }
        try check(
            stream.locale.result {
                unsafe addSettings(to: &settings, muxer, options, clock)
                return unsafe avformat_write_header(muxer, &settings)
            })
        if flushesAlways {
            stream.flush()
            try check(0)
        }
    }

    private func addSettings(
        to settings: inout OpaquePointer?, _ muxer: UnsafeMutablePointer<AVFormatContext>, _ options: WriterOptions,
        _ clock: TrackClock?
    ) {
        if let clock {
            unsafe av_dict_set_int(&settings, "video_track_timescale", Int64(clock.timescale), 0)
            // The edit list and the movie's durations use this unit, and are exact too.
            unsafe av_dict_set_int(&settings, "movie_timescale", Int64(clock.timescale), 0)
            unsafe av_dict_set(&settings, "use_editlist", "1", 0)
            unsafe av_dict_set(&settings, "write_tmcd", "0", 0)
            // Old versions of FFmpeg call the mapping of FLAC and TrueHD experimental, although it has been published.
            unsafe av_dict_set(&settings, "strict", "experimental", 0)
        }
        if options.isFragmented {
            // The index is written with the first fragment, when the start of presentation is known.
            unsafe av_dict_set(&settings, "movflags", "frag_keyframe+delay_moov+default_base_moof", 0)
            if options.fragmentDuration > 0 {
                unsafe av_dict_set_int(
                    &settings, "frag_duration", Int64((options.fragmentDuration * 1_000_000).rounded()), 0)
            }
        } else if options.fastStart {
            unsafe av_dict_set(&settings, "movflags", "faststart", 0)
        }
        if container == .matroska {
            // Checksums of clusters, optional in RFC 8794 11.3.1, would take more time than all other work.
            unsafe av_dict_set(&settings, "write_crc32", "0", 0)
        }
        if container == .flv && !stream.output.canSeek {
            unsafe av_dict_set(&settings, "flvflags", "no_duration_filesize", 0)
        }
        if options.creationTime > 0 {
            unsafe av_dict_set(&muxer.pointee.metadata, "creation_time", options.creationDate, 0)
        }
    }

    /// A sample in the container's form. Its times are in units of ``timeUnit``.
    @safe
    struct Entry {
        let bytes: UnsafeRawBufferPointer
        let presentation: Int64
        let decode: Int64
        let duration: Int64
        let isKeyFrame: Bool
        /// The codec configuration from this sample on; nil if it does not change.
        let configuration: [UInt8]?
    }

    func write(_ entry: Entry) throws(NaluError) {
        guard let context = unsafe context else { return }
        guard unsafe entry.bytes.count <= Int(Int32.max) else {
            throw NaluError(
                .unsupportedDataFormat,
                unsafe "the sample has \(entry.bytes.count) bytes; expected at most 2147483647")
        }
        if interleaver != nil {
            try unsafe packet.copy(entry.bytes)
        } else {
            unsafe packet.borrow(entry.bytes)
        }
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
        let result = stream.locale.result { unsafe av_write_frame(context, packet.pointer) }
        packet.clear()
        try written(result)
    }

    private func written(_ result: Int32) throws(NaluError) {
        if result >= 0 && flushesAlways {
            stream.flush()
        }
        try check(result)
        committed = stream.size
    }

    /// Writes a packet of a passed track, and leaves it empty.
    ///
    /// - Parameter origin: the time that is subtracted from all times.
    func pass(_ packet: Packet, of track: PassedTrack, origin: MediaTime) throws(NaluError) {
        guard let context = unsafe context, let place = passed.firstIndex(where: { $0 === track }),
            let interleaver, let stream = unsafe ContainerStream(context.pointee.streams[place + 1])
        else { return }
        guard track.convert(packet) >= 0 else {
            // An audio frame without a readable header is useless.
            leftOutCount += 1
            return packet.clear()
        }
        guard track.place(packet, in: stream.timeBase, origin: origin) else {
            leftOutCount += 1
            return packet.clear()
        }
        guard begins(packet, of: track, place + 1) else { return packet.clear() }
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
        if track.parameters.type == AVMEDIA_TYPE_SUBTITLE {
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
        guard let context = unsafe context, let interleaver else { return }
        while let track = interleaver.next(all: all, timeBase: { timeBase(ofTrack: $0) }) {
            guard interleaver.take(into: packet, track: track) else { return }
            if track > 0, isAfterEnd(packet.presentation, track) {
                packet.clear()
                continue
            }
            packet.streamIndex = track
            let result = stream.locale.result { unsafe av_write_frame(context, packet.pointer) }
            packet.clear()
            if result < 0, result != nalu_ff_out_of_memory(), stream.failure == 0, track > 0 {
                // A passed packet that the muxer cannot read was corrupt in its source file.
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
        guard let stream = unsafe ContainerStream(context?.pointee.streams[track]) else {
            return AVRational(num: 1, den: 1)
        }
        return stream.timeBase
    }

    /// Writes the end of the file.
    ///
    /// - Parameters:
    ///   - format: the format description, if parameter sets are among the samples although the index does not state
    ///     that; else nil.
    ///   - edits: an edit list that replaces the muxer's, for a movie that is not fragmented; else nil.
    func finish(setsInBand format: FormatDescription?, edits: EditList?) throws(NaluError) {
        guard let context = unsafe context else { return }
        try writeInOrder(all: true)
        if isFragmented {
            let result = stream.locale.result { unsafe av_write_frame(context, nil) }
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
        let result = stream.locale.result { unsafe av_write_trailer(context) }
        stream.flush()
        try check(result)
        if let format, container.isBaseMedia { try declare(setsInBand: format) }
        if let edits { try hide(edits) }
    }

    /// Changes the index, which is written already, to state that parameter sets are among the samples.
    private func declare(setsInBand format: FormatDescription) throws(NaluError) {
        guard let entry = stream.finder?.entry else {
            throw NaluError(
                .unsupportedDataFormat,
                "the installed FFmpeg writes an index that cannot say that the parameter sets change; expected matroska, or a new file"
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
            if isFragmented {
                stream.output.cut(to: committed)
            }
            throw NaluError(
                .inputOutput, face.writingFailed + SystemError.text(stream.failure))
        }
        guard result < 0 else { return }
        if result == nalu_ff_out_of_memory() { throw Self.outOfMemory }
        throw NaluError(
            .unsupportedDataFormat,
            "FFmpeg's muxer for \(container) reports: \(SystemError.text(ffmpeg: result))")
    }
}
