internal import CFFmpeg
package import Nalu
public import NaluBase

/// Writes samples into a container; what `nalu/media/writer.h` says of `nalu_writer`.
///
/// `@unchecked Sendable`: the state is touched only during a turn.
@safe
public final class Writer: @unchecked Sendable {
    /// A sample that is kept until as many follow as must be known for its place.
    private struct Waiting {
        let sample: Sample
        let given: SampleTimes
        let isKeyFrame: Bool
    }

    /// A sample that is kept until it is known whether another one follows.
    private struct Held {
        let sample: Sample
        let place: TrackTimes.Place
        let isKeyFrame: Bool
    }

    private let turn = Turn("writer")
    private let container: Container
    private let options: WriterOptions
    private let output: any ByteOutput

    private var format: FormatDescription?
    private var trackOptions = TrackOptions()
    private var times: TrackTimes?
    private var displayed = DisplayedSpan()
    /// The number of the video track.
    private var videoNumber: UInt32 = 0
    private var passed: [PassedTrack] = []
    /// The time that becomes 0; invalid for the writer's own choice.
    private var wantedOrigin = MediaTime.invalid
    /// The times between which passed tracks are written; invalid for no limit.
    private var passedBegin = MediaTime.invalid
    private var passedEnd = MediaTime.invalid
    /// The time that is subtracted from the times of all tracks.
    private var origin: MediaTime { times?.origin ?? MediaTime(value: 0, timescale: 1) }
    private var muxer: Muxer?
    private var waiting: [Waiting] = []
    private var held: Held?
    private var form: SampleForm?
    /// The muxer has been given a sample.
    private var hasWritten = false
    private var isFinished = false
    /// The failure after which nothing is written any more.
    private var failure: NaluError?
    private var counts = WriterCounts()

    // MARK: - Creation

    /// To a file, in the container of that name or of the path's ending.
    public convenience init(path: String, container: String?, options: WriterOptions) throws(NaluError) {
        let container = if let container { try Container.named(container) } else { try Container.ofPath(path) }
        try Self.check(options, container)
        let output = try DescriptorOutput(
            path: path, overwrite: options.overwrite, isPending: container.isBaseMedia && !options.isFragmented,
            face: options.face)
        try self.init(container, output, options)
    }

    public convenience init(descriptor: Int32, container: String, options: WriterOptions) throws(NaluError) {
        let container = try Container.named(container)
        try Self.checkWithoutPath(options, container)
        try self.init(container, DescriptorOutput(descriptor: descriptor, isOwned: false), options)
    }

    public convenience init(output: CallbackOutput, container: String, options: WriterOptions) throws(NaluError) {
        let container = try Container.named(container)
        try Self.checkWithoutPath(options, container)
        try self.init(container, output, options)
        output.isAdopted = true
    }

    private init(_ container: Container, _ output: any ByteOutput, _ options: WriterOptions) throws(NaluError) {
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

    private static func check(_ options: WriterOptions, _ container: Container) throws(NaluError) {
        try options.check(container)
        try FFmpegLibraries.load()
    }

    private static func checkWithoutPath(_ options: WriterOptions, _ container: Container) throws(NaluError) {
        if options.overwrite {
            throw NaluError(
                .conflict,
                "\(options.face.overwrite) is set without a path; expected it for paths only")
        }
        try options.check(container)
        try FFmpegLibraries.load()
    }

    deinit {
        // A file that is replaced at the end needs a client that says that it is complete.
        if !output.replacesAtEnd { try? complete() }
    }

    // MARK: - Use

    /// Adds the track, and gives its number.
    package func addTrack(_ format: FormatDescription, _ trackOptions: TrackOptions) throws(NaluError) -> UInt32 {
        try turn.taken { () throws(NaluError) in
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
            videoNumber = UInt32(passed.count)
            return videoNumber
        }
    }

    /// Adds a track whose packets the reader hands over as it comes past them, and gives its number.
    public func addTrack(from reader: Reader, track: UInt32) throws(NaluError) -> UInt32 {
        try reader.pass(track: track, to: self)
    }

    func addTrack(_ track: PassedTrack) throws(NaluError) -> UInt32 {
        try turn.taken { () throws(NaluError) in
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
            return UInt32(passed.count - 1 + (format == nil ? 0 : 1))
        }
    }

    /// Takes a packet of a passed track, and leaves it empty. The writer's next call reports what goes wrong.
    func pass(_ packet: Packet, of track: PassedTrack) throws(NaluError) {
        try turn.taken { () throws(NaluError) in
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

    package func write(_ sample: Sample, track: UInt32) throws(NaluError) {
        try turn.taken { () throws(NaluError) in
            try writeInTurn(sample, track)
        }
    }

    public func finish() throws(NaluError) {
        try turn.taken { () throws(NaluError) in
            guard format != nil else {
                throw NaluError(
                    .outOfOrder, "the writer has no track; expected \(options.face.addTrack) first")
            }
            try complete()
        }
    }

    /// Moves all times so that this one becomes 0. Before the first sample.
    func begin(at time: MediaTime) throws(NaluError) {
        try turn.taken { () throws(NaluError) in wantedOrigin = time }
    }

    /// Writes nothing more, and leaves a file that takes its place at the end where it is.
    func abandon() {
        try? turn.taken { () throws(NaluError) in fail(NaluError(.cancelled, "the output was given up")) }
    }

    /// Leaves out what passed tracks have before that time. Before the first sample.
    public func beginTracksFromReaders(at time: MediaTime) throws(NaluError) {
        try turn.taken { () throws(NaluError) in passedBegin = time }
    }

    /// Leaves out what is not written yet of passed tracks and begins at that time or later.
    public func endTracksFromReaders(at time: MediaTime) throws(NaluError) {
        try turn.taken { () throws(NaluError) in
            passedEnd = time
            muxer?.end = (passedEnd - origin)
        }
    }

    /// What was repaired and left out so far.
    public func currentCounts() throws(NaluError) -> WriterCounts {
        try turn.taken { () throws(NaluError) in
            var all = counts
            all.repairedDecodeTimes = times?.repairedCount ?? 0
            all.movedPresentationTimes = times?.movedCount ?? 0
            for track in passed { all.movedPackets += track.movedCount }
            if let muxer { all.leftOutPackets = muxer.leftOutCount }
            return all
        }
    }

    // MARK: - In turn

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
                // The others are written all the same.
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
        counts.leftOutPackets = muxer.leftOutCount
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
    /// - Parameter refused: the error of a sample that was left out of it.
    private func commit(after refused: NaluError?) throws(NaluError) {
        try guarded { () throws(NaluError) in
            if let reason = output.commit(options.face) {
                throw NaluError(.inputOutput, options.face.writingFailed + reason)
            }
        }
        if let refused { throw refused }
    }

    /// Remembers a failure of the output.
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

    private func writeInTurn(_ sample: Sample, _ track: UInt32) throws(NaluError) {
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
        // Where decoding starts players must find a place to start.
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
            try trial.settle(waiting.map(\.given) + [given])
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
            // A sample that is refused changes nothing.
            if waiting.first?.sample === sample { waiting = [] }
            if waiting.isEmpty { self.times?.lastDecode = before }
            if waiting.isEmpty && muxer == nil { self.times = nil }
            throw error
        }
        self.displayed = displayed
    }

    /// Writes those after which enough samples are known.
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
        // The muxer wants the duration of the last sample with that sample; so each waits for the next.
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
            try unsafe form?.withBytes(of: sample) { (bytes, configuration) throws(NaluError) in
                try unsafe muxer.write(
                    Muxer.Entry(
                        bytes: bytes, presentation: place.presentation, decode: place.decode, duration: duration,
                        isKeyFrame: isKeyFrame, configuration: configuration))
            }
        }
    }

    /// The muxer; opened with the first sample. The times of those that are known then determine the timescale.
    private func started(_ times: inout TrackTimes) throws(NaluError) -> Muxer {
        if let muxer { return muxer }
        guard let format, !waiting.isEmpty else { throw Self.finished }
        try times.settle(waiting.map(\.given))
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
