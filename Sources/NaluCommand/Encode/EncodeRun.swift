internal import ArgumentParser
internal import Nalu
private import NaluLibc
private import NaluMedia

/// One run of `nalu encode` or `nalu transcode`: feeds the session, and says what came of it.
struct EncodeRun {
    private let isQuiet: Bool
    private let output: OutputFile
    private let form: OutputForm
    private let source: any FrameSource
    private let settings: [(key: PropertyKey, value: PropertyValue?)]

    private var facts: VideoFacts { source.facts }

    /// Nothing is written yet.
    ///
    /// - Parameter asked: what the encoder is asked for beyond what follows from the input.
    init(
        _ source: any FrameSource, to output: OutputFile, as form: OutputForm,
        asked: [(key: PropertyKey, value: PropertyValue?)], isQuiet: Bool
    ) throws(Failure) {
        self.isQuiet = isQuiet
        self.form = form
        self.output = output
        self.source = source
        settings = InputFacts.settings(of: source.facts, asked: asked)
        if form.container == .hevc { throw Failure("\(output.name) is for H.265, and frames are encoded to H.264") }
    }

    func run() throws {
        Interruption.ignoreBrokenPipes()
        Interruption.explainLostInput()
        try Interruption.watch { [source] in source.stop() }
        let container =
            form.container == .h264
            ? nil : ContainerSink(output, form, track: source.orientation.options(for: form))
        let sink: any SampleSink = container ?? AnnexBSink(output)
        let writer = StreamWriter(sink) { [source] in source.stop() }
        let session = try openSession(writer)
        let start = MonotonicClock.seconds
        let passed = try passTracks(container)
        try source.begin()

        guard let first = try firstFrame() else {
            output.discard()
            if let signal = Interruption.signal { throw ExitCode(Interruption.exitCode(signal)) }
            throw Failure("\(source.name) has no frames")
        }
        try output.open()
        let progress =
            isQuiet
            ? nil : try ProgressLine.start(writer: writer, total: source.total, perSecond: source.frameRate.perSecond)
        var (failure, duration) = feed(session, first, writer)
        if writer.failure == nil {
            do { try session.complete() } catch { failure = failure ?? error }
        }
        progress?.finish()
        try? session.invalidate()
        if writer.failure == nil, failure == nil, !passed.isEmpty, let frames = source as? DecodedFrames,
            let end = frames.endOfTracks()
        {
            container?.endOtherTracks(at: end)
        }
        if writer.failure == nil {
            do { try sink.finish() } catch { failure = failure ?? error }
        }
        let fileSize = output.fileSize
        do { try output.close() } catch { failure = failure ?? error }
        failure = writer.failure ?? failure
        try conclude(failure, writer, fileSize, passed, duration: duration, seconds: MonotonicClock.seconds - start)
    }

    private func firstFrame() throws -> TimedFrame? {
        do {
            return try Interruption.signal == nil ? source.next() : nil
        } catch {
            output.discard()
            throw error
        }
    }

    /// Sound and subtitles of a file whose times stay go along as they are. Gives their tracks.
    private func passTracks(_ sink: ContainerSink?) throws -> Set<Int> {
        guard let sink, let frames = source as? DecodedFrames, frames.keepsTimes, frames.file.hasOtherTracks else {
            return []
        }
        try output.open()
        frames.passTracks()
        return try sink.pass(tracksOf: frames.file)
    }

    /// The session with its encoder open: what it refuses is reported before anything is read or written.
    private func openSession(_ writer: StreamWriter) throws -> CompressionSession {
        let session = try CompressionSession(
            width: facts.width, height: facts.height, sourceFormat: facts.format, outputHandler: writer.take)
        do {
            try session.set(settings)
            try session.prepare()
        } catch {
            let refusals: [Status] = [
                .propertyNotSupported, .propertyReadOnly, .wrongType, .outOfRange, .conflict, .parameter,
            ]
            throw refusals.contains(error.status) ? .usage(error.message) : Failure(error.message)
        }
        return session
    }

    /// Encodes until the frames end, or until something fails. Gives that, and the seconds that the frames last.
    private func feed(
        _ session: CompressionSession, _ first: TimedFrame, _ writer: StreamWriter
    ) -> (failure: (any Error)?, duration: Double) {
        var span = PresentationSpan()
        var next: TimedFrame? = first
        do {
            while let frame = next, writer.failure == nil {
                switch frame.pixels {
                case .kept(let buffer):
                    unsafe try session.encode(buffer, presentationTime: frame.time, duration: frame.duration)
                case .lent(let source):
                    try withExtendedLifetime(source) {
                        unsafe try session.encode(
                            copying: source.view, presentationTime: frame.time, duration: frame.duration)
                    }
                }
                span.add(frame.time, frame.duration)
                next = try source.next()
            }
            return (nil, span.seconds)
        } catch {
            return (error, span.seconds)
        }
    }

    /// The summary and the exit code.
    private func conclude(
        _ failure: (any Error)?, _ writer: StreamWriter, _ fileSize: Int?, _ passed: Set<Int>, duration: Double,
        seconds: Double
    ) throws {
        let counts = writer.counts
        let frameCount = counts.frames
        if frameCount == 0 { output.discard() }
        if !isQuiet && frameCount > 0 {
            let summary = EncodeSummary(
                output: output.name, facts: facts, frameRate: source.frameRate, counts: counts, fileSize: fileSize,
                duration: duration, seconds: seconds, quality: writer.quality.text)
            Console.error(summary.text)
        }
        if !isQuiet && frameCount > 0, let loss = source.orientation.loss(of: source.name, in: output.name, form) {
            Console.error(loss)
        }
        if !isQuiet && frameCount > 0, let notice = (source as? DecodedFrames)?.notice { Console.error(notice) }
        if !isQuiet && frameCount > 0, form.container != .h264,
            let note = (source as? DecodedFrames)?.file.leftOut(besides: passed)
        {
            Console.error(note)
        }
        try RunEnd(output: output.name, frames: frameCount, isQuiet: isQuiet).conclude(failure)
    }
}

/// What a run has made, for people.
struct EncodeSummary {
    let output: String
    let facts: VideoFacts
    let frameRate: FrameRate
    let counts: RunCounts
    /// Of the whole file, where it is one.
    let fileSize: Int?
    /// Seconds that the frames last.
    let duration: Double
    /// That the run took.
    let seconds: Double
    let quality: String?

    /// Lines without the last newline.
    var text: String {
        let rate = duration > 0 ? Double(counts.bytes) * 8 / duration : 0
        let speed = Double(counts.frames) / max(seconds, 0.000_001)
        let clip =
            "\(NumberText.count(counts.frames, "frame")) (\(NumberText.count(counts.keyFrames, "key frame"))) of \(facts.width)x\(facts.height) "
            + "at \(frameRate.text) fps, \(NumberText.decimal(duration, places: 2)) s"
        var lines = [
            "\(output): \(clip)",
            "\(NumberText.scaled(Double(fileSize ?? counts.bytes), unit: "B")), \(NumberText.scaled(rate, unit: "b/s")); "
                + "encoded in \(NumberText.decimal(seconds, places: 2)) s, \(NumberText.decimal(speed, places: 1)) fps, "
                + "\(NumberText.decimal(duration / max(seconds, 0.000_001), places: 2)) times real time",
        ]
        if counts.dropped > 0 { lines.append("\(NumberText.count(counts.dropped, "frame")) dropped to keep the rate") }
        if let quality { lines.append(quality) }
        return lines.joined(separator: "\n")
    }
}
