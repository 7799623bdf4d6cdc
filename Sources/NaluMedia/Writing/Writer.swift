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
    private struct Waiting {
        let sample: Sample
        let given: SampleTimes
        let isKeyFrame: Bool
    }

    /// A sample waiting for the next one, or for the end of the file, which determines its duration.
    private struct Held {
        let sample: Sample
        let place: TrackTimes.Place
        let isKeyFrame: Bool
    }

    private let access = ExclusiveAccess(to: "writer")
    private let container: OutputFormat
    private let options: WriterOptions
    private let output: any ByteOutput

    private var format: FormatDescription?
    private var trackOptions = TrackOptions()
    private var times: TrackTimes?
    private var displayed = DisplayedSpan()
    /// The number of the video track.
    private var videoNumber = 0
    private var passed: [PassedTrack] = []
    /// The time that becomes 0; invalid for the writer's own choice.
    private var wantedOrigin = MediaTime.invalid
    /// The times between which passed tracks are written; invalid for no limit.
    private var passedBegin = MediaTime.invalid
    private var passedEnd = MediaTime.invalid
    /// The earliest known time of the copied tracks.
    private var passedStart: MediaTime? { passed.compactMap(\.start).min() }
    /// The time that is subtracted from the times of all tracks.
    private var origin: MediaTime { times?.origin ?? MediaTime(value: 0, timescale: 1) }
    private var muxer: Muxer?
    private var waiting: [Waiting] = []
    private var held: Held?
    private var form: SampleForm?
    /// Whether the muxer has received a sample.
    private var hasWritten = false
    private var isFinished = false
    /// The failure after which nothing more is written.
    private var failure: NaluError?
    private var leftOutPackets = 0

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
            face: options.face)
        try self.init(container, output, options)
    }

    package convenience init(descriptor: Int32, named name: String, options: WriterOptions) throws(NaluError) {
        let container = try OutputFormat.named(name)
        try Self.checkWithoutPath(options, container)
        try self.init(container, DescriptorOutput(descriptor: descriptor, isOwned: false), options)
    }

    package convenience init(output: CallbackOutput, named name: String, options: WriterOptions) throws(NaluError) {
        let container = try OutputFormat.named(name)
        try Self.checkWithoutPath(options, container)
        try self.init(container, output, options)
        output.isAdopted = true
    }

    private init(_ container: OutputFormat, _ output: any ByteOutput, _ options: WriterOptions) throws(NaluError) {
        if container.isBaseMedia && !options.isFragmented && !output.canSeek {
            throw NaluError(
                .conflict,
                "the output cannot seek, which \(container) needs; expected \(options.face.fragmented) or another container"
            )
        }
        if options.fastStart && output.readableDescriptor < 0 {
            throw NaluError(
                .conflict,
                "\(options.face.fastStart) is set, but the output cannot be read back; expected a path or a file that is open for reading and writing"
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
                "\(options.face.overwrite) is set without a path; expected it for paths only")
        }
        try options.check(container)
        try FFmpegLibraries.load()
    }

    deinit {
        // A file that is replaced at the end requires that the client declares it complete.
        if !output.replacesAtEnd { try? complete() }
    }

    // MARK: - Use

    /// Adds the video track, before the first sample. Every container has exactly one. Returns the track's number.
    ///
    /// Throws `.outOfRange` for a number in the options; `.conflict` for an option that the container cannot store;
    /// `.unsupportedDataFormat` if a video track exists already; `.outOfOrder` if the writer is finished.
    @discardableResult
    public func addTrack(
        _ format: FormatDescription, options trackOptions: TrackOptions = TrackOptions()
    ) throws(NaluError) -> Int {
        try access.run { () throws(NaluError) in
            try trackOptions.check(container)
            guard !isFinished else { throw Self.finished }
            guard self.format == nil else {
                throw NaluError(
                    .unsupportedDataFormat, "the writer already has a video track; expected one call")
            }
            guard container.takes(format) else {
                throw NaluError(
                    .unsupportedDataFormat,
                    format.isHEVC
                        ? "format is H.265, which \(container) cannot hold; expected H.264, or another container"
                        : "format is H.264, which \(container) cannot hold; expected H.265, or another container")
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
                throw NaluError(
                    .outOfOrder, "a sample was written; expected all tracks before the first")
            }
            guard container.takes(track) else {
                throw NaluError(
                    .unsupportedDataFormat,
                    "the track is \(track.codecName), which \(container) cannot hold; expected another container, or no such track"
                )
            }
            passed.append(track)
            return passed.count - 1 + (format == nil ? 0 : 1)
        }
    }

    /// Writes a packet of a passed track, and leaves it empty. The writer's next call reports a failure.
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

    private func fail(_ error: NaluError) {
        failure = error
        muxer = nil
        waiting = []
        held = nil
    }

    /// Writes the next sample of a track, in decode order.
    ///
    /// Throws `.outOfRange` if there is no such track; `.invalidTime` for a time that is not numeric or does not fit
    /// the timescale, and for a decode time that does not grow or is after the presentation time. After `.invalidTime`
    /// the next sample can be written. Throws `.unsupportedDataFormat` if the format description differs from the
    /// track's, and the container cannot store the change (docs/containers.md); `.outOfOrder` if the writer is
    /// finished, or if decoding cannot begin with the first sample; `.inputOutput`.
    public func write(_ sample: Sample, to track: Int = 0) throws(NaluError) {
        try access.run { () throws(NaluError) in
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
                throw NaluError(
                    .outOfOrder, "the writer has no track; expected \(options.face.addTrack) first")
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
        try? access.run { () throws(NaluError) in fail(NaluError(.cancelled, "the output was given up")) }
    }

    /// Leaves out packets of passed tracks before that time. Must be called before the first sample.
    package func beginTracksFromReaders(at time: MediaTime) throws(NaluError) {
        try access.run { () throws(NaluError) in passedBegin = time }
    }

    /// Leaves out packets of passed tracks that begin at that time or later and are not written yet.
    package func endTracksFromReaders(at time: MediaTime) throws(NaluError) {
        try access.run { () throws(NaluError) in
            passedEnd = time
            muxer?.end = (passedEnd - origin)
        }
    }

    /// The numbers of repaired and left out samples and packets so far; after ``finish()``, those of the whole file.
    /// Zeros inside the writer's write and seek functions.
    public var counts: WriterCounts { (try? currentCounts()) ?? WriterCounts() }

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

    // MARK: - With exclusive access

    private static var finished: NaluError {
        NaluError(.outOfOrder, "the writer is finished; expected a new one")
    }

    private func complete() throws(NaluError) {
        if let failure { throw failure }
        guard !isFinished else { return }
        isFinished = true
        var refused: NaluError?
        while !waiting.isEmpty {
            do throws(NaluError) {
                try placeWaiting(lookahead: 0)
            } catch {
                // The other samples are written all the same.
                if failure != nil || muxer == nil { throw error }
                refused = refused ?? error
            }
        }
        guard let muxer else {
            try guarded { () throws(NaluError) in try begin() }
            return try commit(after: refused)
        }
        if let last = held {
            held = nil
            try write(last.sample, last.place, times?.finalDuration ?? 0, isKeyFrame: last.isKeyFrame, to: muxer)
        }
        let edits = try container.isBaseMedia && !options.isFragmented ? times?.editList(displayed) : nil
        try guarded { () throws(NaluError) in
            try muxer.finish(
                setsInBand: form?.hasSetsInBand == true && !options.setsInBand ? format : nil, edits: edits)
        }
        leftOutPackets = muxer.leftOutCount
        self.muxer = nil
        try commit(after: refused)
    }

    private func begin() throws(NaluError) {
        if let reason = output.begin() {
            throw NaluError(.inputOutput, options.face.writingFailed + reason)
        }
    }

    /// Puts the file in its place.
    ///
    /// - Parameter refused: the error of a sample that was left out of the file.
    private func commit(after refused: NaluError?) throws(NaluError) {
        try guarded { () throws(NaluError) in
            if let reason = output.commit(options.face) {
                throw NaluError(.inputOutput, options.face.writingFailed + reason)
            }
        }
        if let refused { throw refused }
    }

    /// Runs `body`, and stores a failure of the output.
    private func guarded(_ body: () throws(NaluError) -> Void) throws(NaluError) {
        do throws(NaluError) {
            try body()
        } catch {
            if error.status == .inputOutput || error.status == .allocationFailed {
                fail(error)
            }
            throw error
        }
    }

    private func writeExclusively(_ sample: Sample, _ track: Int) throws(NaluError) {
        guard let format, track == videoNumber else {
            throw NaluError(
                .outOfRange,
                self.format == nil
                    ? "track is \(track), but the writer has none for samples; expected \(options.face.addTrack) first"
                    : "track is \(track); expected \(videoNumber), the only one for samples")
        }
        if let failure { throw failure }
        guard !isFinished else { throw Self.finished }
        let form = form ?? SampleForm(container, format, options)
        self.form = form
        try form.check(sample)
        // Every decode start must be a sync sample, or players cannot begin there.
        let isKeyFrame = times == nil || format.isRandomAccess(sample)
        if times == nil {
            let isStart = sample.attachments.contains(.partialSync)
            guard isStart || sample.isKeyFrame else {
                throw NaluError(
                    .outOfOrder,
                    "the first sample is not a key frame; expected one at which decoding can start")
            }
        }
        let given = SampleTimes(
            presentation: sample.presentationTime, decode: sample.decodeTime, duration: sample.duration)
        var displayed = displayed
        guard !container.isBaseMedia || displayed.add(given, isHidden: sample.isHidden) else {
            throw NaluError(
                .unsupportedDataFormat,
                "a sample that is not to be displayed lies between others that are, which \(container) is not written with here; expected such samples before and after the others, as with one edit"
            )
        }
        var times =
            times
            ?? TrackTimes(
                given, container, trackOptions, options, frameDuration: format.usualFrameDuration,
                isHidden: sample.isHidden, wantedOrigin: wantedOrigin)
        try times.check(given)
        if muxer == nil {
            var trial = times
            try trial.settle(waiting.map(\.given) + [given], passedStart: passedStart)
            if trial.clock != nil, waiting.isEmpty { _ = try trial.place(given, following: []) }
        }
        let next = Waiting(sample: sample, given: given, isKeyFrame: isKeyFrame)
        if let muxer, waiting.isEmpty, times.lookahead == 0 {
            try write(next, following: [], &times, to: muxer)
            times.lastDecode = given.decode
            self.times = times
            self.displayed = displayed
            return
        }
        let before = times.lastDecode
        times.lastDecode = given.decode
        self.times = times
        waiting.append(next)
        if muxer == nil && (waiting.count == 1 && times.needsSecond(given) || times.needsLeading(waiting.map(\.given)))
        {
            self.displayed = displayed
            return
        }
        do throws(NaluError) {
            try placeWaiting(lookahead: times.lookahead)
        } catch {
            // A refused sample changes nothing.
            if waiting.first?.sample === sample { waiting = [] }
            if waiting.isEmpty { self.times?.lastDecode = before }
            if waiting.isEmpty && muxer == nil { self.times = nil }
            throw error
        }
        self.displayed = displayed
    }

    /// Writes the waiting samples that at least `lookahead` others follow.
    private func placeWaiting(lookahead: Int) throws(NaluError) {
        while waiting.count > lookahead, var times {
            let muxer = try started(&times)
            let next = waiting.removeFirst()
            try write(next, following: waiting.map(\.given.presentation), &times, to: muxer)
            self.times = times
        }
    }

    private func write(
        _ next: Waiting, following: [MediaTime], _ times: inout TrackTimes, to muxer: Muxer
    ) throws(NaluError) {
        let place = try times.place(next.given, following: following)
        let isFirst = !hasWritten
        hasWritten = true
        if isFirst && options.isFragmented && container.isBaseMedia {
            var trial = times
            trial.accept(place, isKeyFrame: next.isKeyFrame)
            muxer.edits = try trial.fragmentedEditList()
        }
        try write(next, place, to: muxer)
        times.accept(place, isKeyFrame: next.isKeyFrame)
    }

    private func write(_ next: Waiting, _ place: TrackTimes.Place, to muxer: Muxer) throws(NaluError) {
        guard container.isBaseMedia && !options.isFragmented else {
            return try write(next.sample, place, place.duration, isKeyFrame: next.isKeyFrame, to: muxer)
        }
        // The muxer needs the duration of the last sample together with that sample, so each sample waits for the next.
        let before = held
        held = Held(sample: next.sample, place: place, isKeyFrame: next.isKeyFrame)
        if let before {
            try write(
                before.sample, before.place, before.place.own ?? 0, isKeyFrame: before.isKeyFrame, to: muxer)
        }
    }

    private func write(
        _ sample: Sample, _ place: TrackTimes.Place, _ duration: Int64, isKeyFrame: Bool, to muxer: Muxer
    ) throws(NaluError) {
        try guarded { () throws(NaluError) in
            try form?.withBytes(of: sample) { (bytes, configuration) throws(NaluError) in
                try muxer.write(
                    bytes,
                    Muxer.Entry(
                        presentation: place.presentation, decode: place.decode, duration: duration,
                        isKeyFrame: isKeyFrame, configuration: configuration))
            }
        }
    }

    /// Returns the muxer, and opens it for the first sample. The times of the known samples determine the timescale.
    private func started(_ times: inout TrackTimes) throws(NaluError) -> Muxer {
        if let muxer { return muxer }
        guard let format, !waiting.isEmpty else { throw Self.finished }
        try times.settle(waiting.map(\.given), passedStart: passedStart)
        var made: Muxer?
        try guarded { () throws(NaluError) in
            try begin()
            made = try Muxer(
                container, output: output, options: options, format: format, track: trackOptions,
                clock: times.clock, keepsNegativeTimes: container == .matroska && times.beginsAtOrAfterZero,
                passed: passed)
        }
        guard let made else { throw NaluError(.allocationFailed, "no memory for a muxer") }
        muxer = made
        times.unit = made.timeUnit
        self.times = times
        made.begin = (passedBegin - origin)
        made.end = (passedEnd - origin)
        try passWaiting(made)
        return made
    }

    private func passWaiting(_ muxer: Muxer) throws(NaluError) {
        guard !passed.isEmpty else { return }
        let packet = try Packet()
        for track in passed {
            while track.waiting.take(into: packet) {
                try guarded { () throws(NaluError) in
                    try muxer.pass(packet, of: track, origin: origin)
                }
            }
        }
    }
}
