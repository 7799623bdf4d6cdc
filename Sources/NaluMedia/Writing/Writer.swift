internal import CFFmpeg
public import Nalu
public import NaluBase

/// Writes samples into a container: MP4, MOV, Matroska, MPEG-TS, FLV, raw H.264 and H.265.
///
///     var options = WriterOptions()
///     options.overwrite = true
///     let writer = try Writer(path: "out.mp4", options: options)
///     let track = try writer.addTrack(sample.formatDescription)
///     try writer.write(sample, to: track)      // for each sample, in decode order
///     try writer.finish()
///
/// Any thread may call any function; calls on one writer run one after the other. A writer that is released without
/// ``finish()`` is finished then, but failures are not reported. In that case an existing file that would be replaced
/// at the end stays unchanged.
///
/// Times in mp4 and mov are exact. A sample without a duration lasts until the next one; the last one then lasts as
/// long as the previous one. Colour, pixel aspect ratio and size come from the format description.
///
/// If writing fails (a full disk, a closed pipe), the call throws `.inputOutput`. Every later call throws it too, and
/// nothing more is written. docs/containers.md describes what stays usable.
///
/// `@unchecked Sendable`: the state is used only with exclusive access (``ExclusiveAccess``).
@safe
public final class Writer: @unchecked Sendable {
    /// Writes all bytes at the current position. Returns 0 or an errno number; a failure is final.
    public typealias WriteFunction = @Sendable (_ bytes: UnsafeRawBufferPointer) -> Int32
    /// Sets the current position, in bytes from the beginning. Returns 0 or an errno number.
    public typealias SeekFunction = @Sendable (_ offset: Int64) -> Int32

    /// A sample waiting for the samples that determine its decode time.
    struct UntimedSample {
        let sample: Sample
        let given: SampleTimes
        let isKeyFrame: Bool
    }

    /// A sample waiting for the next one, or for the end of the file, which determines its duration.
    struct TimedSample {
        let sample: Sample
        let place: TrackTimes.UnitTimes
        let isKeyFrame: Bool
    }

    let access = ExclusiveAccess(to: "writer")
    let container: OutputFormat
    let options: WriterOptions
    let output: any ByteOutput

    var format: FormatDescription?
    var trackOptions = TrackOptions()
    var times: TrackTimes?
    var displayed = DisplayedSpan()
    /// The number of the video track.
    var videoNumber = 0
    var passed: [PassedTrack] = []
    /// The time that becomes 0; invalid for the writer's own choice.
    var wantedOrigin = MediaTime.invalid
    /// The times between which copied tracks are written; invalid for no limit.
    var passedBegin = MediaTime.invalid
    var passedEnd = MediaTime.invalid
    /// The earliest known time of the copied tracks.
    var passedStart: MediaTime? { passed.compactMap { $0.start(in: container) }.min() }
    /// The time that is subtracted from the times of all tracks.
    var origin: MediaTime { times?.origin ?? MediaTime(value: 0, timescale: 1) }
    var muxer: Muxer?
    var untimed: [UntimedSample] = []
    var lastTimed: TimedSample?
    /// The packet for the samples of audio encoders.
    var audioPacket: Packet?
    var converter: SampleConverter?
    /// Whether the muxer has received a sample.
    var hasWritten = false
    /// Whether a failed output has samples that can be played.
    var keepsSamples = false
    var isFinished = false
    /// The numbers of video samples that have their place in the file. A sample that waits for later ones is not among
    /// them.
    var written: (frames: Int, keyFrames: Int) = (0, 0)
    /// Whether the file was finished. ``finish()`` also finishes it if it throws the error of a waiting sample.
    var isComplete = false
    /// The failure after which nothing more is written.
    var failure: NaluError?
    var leftOutPackets = 0

    // MARK: - Creation

    /// Creates a writer for a file. The file gets the permissions 0666 less the umask. Nothing is written before the
    /// first sample.
    ///
    /// An mp4 or mov that is not fragmented appears at the path when it is finished. Until then, and after a failure,
    /// the path stays unchanged. A file that is replaced keeps its permissions. Everything else is written to the path
    /// itself, and can be read while it grows; docs/containers.md has the details.
    ///
    /// - Parameter container: the container; nil for the one that the path's extension names.
    ///
    /// Throws `.parameter` if the extension selects no container; `.unsupportedDataFormat` if there is no such
    /// container; `.outOfRange` for a number in the options; `.conflict` for options that contradict each other or the
    /// container; `.inputOutput` if the file cannot be created, or if it exists and ``WriterOptions/overwrite`` is not
    /// set.
    public convenience init(
        path: String, container: Container? = nil, options: WriterOptions = WriterOptions()
    ) throws(NaluError) {
        try self.init(path: path, named: container?.rawValue, options: options)
    }

    /// Creates a writer for a descriptor that is open for writing: a file (from its beginning), a pipe, a socket. The
    /// descriptor stays the caller's, must stay open as long as the writer, and may be non-blocking.
    ///
    /// Throws as ``init(path:container:options:)`` does; `.conflict` also if the container must seek and the descriptor
    /// cannot, or is not at its beginning.
    public convenience init(
        fileDescriptor: Int32, container: Container, options: WriterOptions = WriterOptions()
    ) throws(NaluError) {
        try self.init(descriptor: fileDescriptor, named: container.rawValue, options: options)
    }

    /// Creates a writer for functions. The thread that writes or finishes calls them, and the writer releases them at
    /// its end. Inside them every call of the same writer throws `.reentrant`.
    ///
    /// - Parameter seek: nil if the output cannot seek, such as a socket.
    ///
    /// Throws as ``init(path:container:options:)`` does; `.conflict` also if the container must seek and the output
    /// cannot.
    public convenience init(
        container: Container, options: WriterOptions = WriterOptions(), write: @escaping WriteFunction,
        seek: SeekFunction? = nil
    ) throws(NaluError) {
        try unsafe self.init(
            output: CallbackOutput(write: write, seek: seek, destroy: {}), named: container.rawValue, options: options)
    }

    /// Creates a writer for a file. Without `name`, the path's extension selects the container.
    package convenience init(path: String, named name: String?, options: WriterOptions) throws(NaluError) {
        let container = if let name { try OutputFormat.named(name) } else { try OutputFormat.ofPath(path) }
        try Self.check(options, container)
        let output = try DescriptorOutput(
            path: path, overwrite: options.overwrite, isPending: container.isBaseMedia && !options.isFragmented,
            spelling: options.spelling)
        try self.init(container, output, options)
    }

    /// - Parameter emptiesFile: whether the descriptor is a file with old content, which the first byte replaces.
    package convenience init(
        descriptor: Int32, named name: String, emptiesFile: Bool = false, options: WriterOptions
    ) throws(NaluError) {
        let container = try OutputFormat.named(name)
        try Self.checkWithoutPath(options, container)
        let output = try DescriptorOutput(descriptor: descriptor, isOwned: false, emptiesFile: emptiesFile)
        try self.init(container, output, options)
    }

    package convenience init(output: CallbackOutput, named name: String, options: WriterOptions) throws(NaluError) {
        let container = try OutputFormat.named(name)
        try Self.checkWithoutPath(options, container)
        try self.init(container, output, options)
        output.isAdopted = true
    }

    /// Creates a writer for a publisher, which keeps the header for later connections.
    convenience init(
        publishing output: PublishOutput, _ container: OutputFormat, _ spelling: Spelling
    ) throws(NaluError) {
        try self.init(container, output, WriterOptions(spelling: spelling))
    }

    private init(_ container: OutputFormat, _ output: any ByteOutput, _ options: WriterOptions) throws(NaluError) {
        if container.isBaseMedia && !options.isFragmented && !output.canSeek {
            throw NaluError(
                .conflict,
                "the output cannot seek, which \(container) needs; expected \(options.spelling.fragmented) or another container"
            )
        }
        if options.fastStart && output.readableDescriptor < 0 {
            throw NaluError(
                .conflict,
                "\(options.spelling.fastStart) is set, but the output cannot be read back; expected a path or a file that is open for reading and writing"
            )
        }
        self.container = container
        self.output = output
        self.options = options
    }

    private static func check(_ options: WriterOptions, _ container: OutputFormat) throws(NaluError) {
        try options.check(container)
        try FFmpegLibraries.load()
    }

    private static func checkWithoutPath(_ options: WriterOptions, _ container: OutputFormat) throws(NaluError) {
        if options.overwrite {
            throw NaluError(
                .conflict,
                "\(options.spelling.overwrite) is set without a path; expected it for paths only")
        }
        try options.check(container)
        try FFmpegLibraries.load()
    }

    deinit {
        // Only a client that declares the new file complete replaces an existing file that is still unchanged.
        // In a child of fork this throws, because the file is the parent's.
        if !output.holdsExistingFile { try? access.run { () throws(NaluError) in try complete() } }
    }

    // MARK: - Use

    /// Adds the video track, or an audio track for the samples of an ``AudioEncoder``, before the first sample. Every
    /// output has exactly one video track. Returns the track's number.
    ///
    /// Throws `.outOfRange` for a number in the options; `.conflict` for an option that the container or an audio track
    /// cannot store; `.unsupportedDataFormat` if a video track exists already, or if the container cannot store the
    /// codec; `.outOfOrder` if a video sample was written or the writer is finished.
    @discardableResult
    public func addTrack(
        _ format: FormatDescription, options trackOptions: TrackOptions = TrackOptions()
    ) throws(NaluError) -> Int {
        if let audio = format.audio {
            try trackOptions.checkAudio(options.spelling)
            return try addTrack(PassedTrack(format, audio, language: trackOptions.language))
        }
        return try access.run { () throws(NaluError) in
            try trackOptions.check(container, options.spelling)
            guard !isFinished else { throw Self.finished }
            guard self.format == nil else {
                throw NaluError(.unsupportedDataFormat, "the writer already has a video track; expected one call")
            }
            guard container.takes(format) else {
                throw NaluError(
                    .unsupportedDataFormat,
                    format.isHEVC
                        ? "format is H.265, which \(container) cannot contain; expected H.264, or another container"
                        : "format is H.264, which \(container) cannot contain; expected H.265, or another container")
            }
            self.format = format
            self.trackOptions = trackOptions
            videoNumber = passed.count
            return videoNumber
        }
    }

    /// Adds an audio or subtitle track that is copied from a reader. Returns the track's number in this writer.
    ///
    /// Must be called before the first sample of both. From then on ``Reader/nextSample()`` passes the track's packets
    /// to the writer when it reads them; their times are those of the file. The reader keeps the writer alive.
    ///
    /// Throws `.outOfRange` if there is no such track; `.unsupportedDataFormat` for video, and if the container cannot
    /// store the codec; `.outOfOrder` if a sample was read or written, or if the track is passed to a writer already.
    @discardableResult
    public func addTrack(_ track: Int, of reader: Reader) throws(NaluError) -> Int {
        try reader.pass(track: track, to: self)
    }

    func addTrack(_ track: PassedTrack) throws(NaluError) -> Int {
        try access.run { () throws(NaluError) in
            guard !isFinished else { throw Self.finished }
            guard muxer == nil else {
                throw NaluError(.outOfOrder, "a sample was written; expected all tracks before the first")
            }
            guard !track.isAudio || container != .flv || !passed.contains(where: \.isAudio) else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "the track is \(track.description), and flv contains one audio track, which the writer already has; expected another container, or no such track"
                )
            }
            guard container.takes(track) else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "the track is \(track.description), which \(container) cannot contain; expected another container, or no such track"
                )
            }
            passed.append(track)
            return passed.count - 1 + (format == nil ? 0 : 1)
        }
    }

    /// Writes a packet of a copied track, and leaves it empty. The writer's next call reports a failure.
    func pass(_ packet: Packet, of track: PassedTrack) throws(NaluError) {
        try access.run { () throws(NaluError) in
            guard !isFinished, failure == nil else { return packet.clear() }
            do throws(NaluError) {
                if let muxer {
                    try muxer.pass(packet, of: track, origin: origin)
                } else {
                    try track.waiting.append(packet)
                }
            } catch {
                fail(error)
            }
        }
    }

    func fail(_ error: NaluError) {
        failure = error
        keepsSamples = muxer?.holdsPackets ?? keepsSamples
        muxer = nil
        untimed = []
        lastTimed = nil
    }

    /// Writes the next sample of a track, in decode order.
    ///
    /// Throws `.outOfRange` if there is no such track, or if it is copied from a reader; `.invalidTime` for a time that
    /// is not numeric or does not fit the timescale, for a decode time that does not grow or is after the presentation
    /// time, and in mp4 and mov for a presentation time too long after the decode time (docs/containers.md). After
    /// `.invalidTime` the next sample can be written. Throws `.unsupportedDataFormat` if the format description differs
    /// from the track's, and the container cannot store the change (docs/containers.md); `.outOfOrder` if the writer is
    /// finished, or if decoding cannot begin with the first sample; `.inputOutput`.
    public func write(_ sample: Sample, to track: Int = 0) throws(NaluError) {
        try access.run { () throws(NaluError) in
            if let audio = try encodedTrack(track) { return try writeAudio(sample, audio) }
            try writeExclusively(sample, track)
        }
    }

    /// Completes the file: writes the last fragment or the index. Nothing can be written afterwards; a second call does
    /// nothing. Without samples the file is empty.
    ///
    /// Throws `.inputOutput`; `.outOfOrder` if there is no track.
    public func finish() throws(NaluError) {
        try access.run { () throws(NaluError) in
            guard format != nil else {
                throw NaluError(.outOfOrder, "the writer has no track; expected \(options.spelling.addTrack) first")
            }
            try complete()
        }
    }

    /// Shifts all times so that `time` becomes 0. Must be called before the first sample.
    func begin(at time: MediaTime) throws(NaluError) {
        try access.run { () throws(NaluError) in wantedOrigin = time }
    }

    /// Writes nothing more. A file that would appear at its path only when complete does not appear.
    func abandon() {
        try? access.run { () throws(NaluError) in fail(NaluError(.cancelled, "the output was abandoned")) }
    }

    /// Leaves out packets of copied tracks before that time. Must be called before the first sample.
    package func beginTracksFromReaders(at time: MediaTime) throws(NaluError) {
        try access.run { () throws(NaluError) in passedBegin = time }
    }

    /// Leaves out packets of copied tracks that begin at that time or later and are not written yet.
    package func endTracksFromReaders(at time: MediaTime) throws(NaluError) {
        try access.run { () throws(NaluError) in
            passedEnd = time
            muxer?.end = (passedEnd - origin)
        }
    }

    /// The numbers of repaired and left out samples and packets so far; after ``finish()``, those of the whole file.
    /// Zeros inside the writer's write and seek functions.
    public var counts: WriterCounts { (try? currentCounts()) ?? WriterCounts() }

    /// The numbers of video samples in the file, and whether it was finished. ``finish()`` finishes a file also if it
    /// throws the error of a sample.
    package var progress: (frames: Int, keyFrames: Int, isComplete: Bool) {
        (try? access.run { () throws(NaluError) in (written.frames, written.keyFrames, isComplete) }) ?? (0, 0, false)
    }

    /// Whether an output that could not be finished has samples that can be played. A fragment is in a file when the next
    /// one begins.
    package var keepsSamplesAfterFailure: Bool {
        (try? access.run { () throws(NaluError) in muxer?.holdsPackets ?? keepsSamples }) ?? false
    }

    /// Returns the numbers of repaired and left out samples and packets so far.
    package func currentCounts() throws(NaluError) -> WriterCounts {
        try access.run { () throws(NaluError) in
            var all = WriterCounts(leftOutPackets: leftOutPackets)
            all.repairedDecodeTimes = times?.repairedCount ?? 0
            all.movedPresentationTimes = times?.movedCount ?? 0
            for track in passed { all.movedPackets += track.movedCount }
            if let muxer { all.leftOutPackets = muxer.leftOutCount }
            return all
        }
    }
}
