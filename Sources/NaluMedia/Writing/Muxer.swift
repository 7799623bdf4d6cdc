internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// One of libavformat's muxers over an output, with its header written.
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
    /// Several tracks: puts their packets in order, and keeps some for that.
    private let interleaver: Interleaver?
    /// Fragments: in place of an edit list that the muxer writes with the first one.
    var edits: EditList? {
        get { stream.edits }
        set { stream.edits = newValue }
    }
    /// Packets of passed tracks before that time are left out without a word.
    var begin = MediaTime.invalid
    /// Packets of passed tracks from that time on are left out without a word.
    var end = MediaTime.invalid
    /// Packets of passed tracks that could not be written.
    private(set) var leftOutCount: Int = 0
    /// Where the output could be cut: the end of the last complete fragment.
    private var committed: Int64 = 0

    /// The unit of the times that ``write(_:)`` takes, in seconds: numerator / denominator.
    private(set) var timeUnit: (numerator: Int32, denominator: Int32) = (1, 1)

    /// - Parameter keepsNegativeTimes: whether decode times before 0 stay where the container could move them.
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
            // The edit list and the durations of the movie are in these units, and exact too.
            unsafe av_dict_set_int(&settings, "movie_timescale", Int64(clock.timescale), 0)
            unsafe av_dict_set(&settings, "use_editlist", "1", 0)
            unsafe av_dict_set(&settings, "write_tmcd", "0", 0)
            // Old FFmpegs call sound experimental whose mapping has long been published: FLAC, TrueHD.
            unsafe av_dict_set(&settings, "strict", "experimental", 0)
        }
        if options.isFragmented {
            // The index is written with the first fragment, when it is known where presentation begins.
            unsafe av_dict_set(&settings, "movflags", "frag_keyframe+delay_moov+default_base_moof", 0)
            if options.fragmentDuration > 0 {
                unsafe av_dict_set_int(
                    &settings, "frag_duration", Int64((options.fragmentDuration * 1_000_000).rounded()), 0)
            }
        } else if options.fastStart {
            unsafe av_dict_set(&settings, "movflags", "faststart", 0)
        }
        if container == .matroska {
            // The checksums of the clusters, which RFC 8794 11.3.1 leaves open, take longer than all else.
            unsafe av_dict_set(&settings, "write_crc32", "0", 0)
        }
        if container == .flv && !stream.output.canSeek {
            unsafe av_dict_set(&settings, "flvflags", "no_duration_filesize", 0)
        }
        if options.creationTime > 0 {
            unsafe av_dict_set(&muxer.pointee.metadata, "creation_time", options.creationDate, 0)
        }
    }

    /// A sample in the container's form, with times in units of ``timeUnit``.
    @safe
    struct Entry {
        let bytes: UnsafeRawBufferPointer
        let presentation: Int64
        let decode: Int64
        let duration: Int64
        let isKeyFrame: Bool
        /// From here on.
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
    /// - Parameter origin: seconds that all times are moved back by.
    func pass(_ packet: Packet, of track: PassedTrack, origin: MediaTime) throws(NaluError) {
        guard let context = unsafe context, let place = passed.firstIndex(where: { $0 === track }),
            let interleaver, let stream = unsafe ContainerStream(context.pointee.streams[place + 1])
        else { return }
        guard track.convert(packet) >= 0 else {
            // A frame without a readable header is of no use.
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

    /// Whether a packet has anything from ``begin`` on. A subtitle that has is made to begin there.
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
        // An edit list hides what is before the beginning. Decoders need one packet more, whose end overlaps the next.
        return container.isBaseMedia && start &+ 2 &* duration > first
    }

    /// - Parameter all: nothing comes any more.
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
                // What the muxer cannot read of a passed packet is damage of the file it comes from.
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

    /// Writes what is to come at the end.
    ///
    /// - Parameters:
    ///   - format: of a track whose parameter sets turned out to be among its samples too; else nil.
    ///   - edits: in place of an edit list that shows all; for a movie that is not fragmented.
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

    /// Says in the index, where the muxer has written it already, that parameter sets are among the samples.
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

    /// Gives the first track another edit list than the muxer has written.
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

    /// The muxer's answer, and what it does not report about its output.
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
