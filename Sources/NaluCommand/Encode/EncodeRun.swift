internal import ArgumentParser
internal import Nalu
private import NaluLibc
internal import NaluMedia

/// One run of `nalu encode` or `nalu transcode`: feeds the session and reports the result.
struct EncodeRun {
    private let isQuiet: Bool
    private let output: OutputFile
    private let container: OutputContainer
    private let source: any FrameSource
    private let codec: CodecOptions.Codec
    private let asked: [(key: PropertyKey, value: PropertyValue?)]
    /// The identifier of the encoder; nil for the usual one.
    private let encoder: String?

    /// Creates a run. Nothing is written yet.
    ///
    /// - Parameters:
    ///   - asked: the user's settings for the encoder, beyond those that follow from the input.
    ///   - encoder: the identifier of the encoder; nil for the usual one.
    init(
        _ source: any FrameSource, to output: OutputFile, as container: OutputContainer, codec: CodecOptions.Codec,
        asked: [(key: PropertyKey, value: PropertyValue?)], encoder: String? = nil, isQuiet: Bool
    ) {
        self.isQuiet = isQuiet
        self.encoder = encoder
        self.codec = codec
        self.container = container
        self.output = output
        self.source = source
        // A publisher sends frames at the time of their encoding.
        let isDelayed = output.address == nil || asked.contains { $0.key == .realTime }
        self.asked = isDelayed ? asked : asked + [(.realTime, .bool(true))]
    }

    private var isElementary: Bool { container.kind == .h264 || container.kind == .hevc }

    func run() throws {
        Interruption.ignoreBrokenPipes()
        Interruption.explainLostInput()
        try Interruption.watch { [source] in source.stop() }
        let decoded = source as? DecodedFrames
        let publishing = try PublishSink(
            to: output, hasRate: asked.contains { $0.key == .averageBitRate && $0.value != nil })
        let container =
            isElementary || publishing != nil
            ? nil
            : ContainerSink(
                output, container, track: decoded?.file.trackOptions(for: container, isEncoded: true) ?? TrackOptions(),
                startsAtZero: decoded?.beginsAtZero ?? false)
        let fileSink: any SampleSink = container ?? AnnexBSink(output)
        let sink: any SampleSink = publishing ?? fileSink
        let writer = StreamWriter(sink) { [source] in source.stop() }
        let early = try openSession(source.facts, writer)
        let start = MonotonicClock.seconds
        let passed = if let publishing { try passTracks(publishing) } else { try passTracks(container) }
        try source.begin()

        guard let first = try firstFrame() else {
            output.discard()
            if let signal = Interruption.signal { throw ExitCode(Interruption.exitCode(signal)) }
            throw decoded?.emptiness ?? Failure("\(source.name) has no frames")
        }
        if !passed.isEmpty, decoded?.beginsAtZero == true {
            container?.beginOtherTracks(at: first.time)
        }
        var losses = Losses()
        let session: CompressionSession
        let facts: VideoFacts
        do {
            (session, facts) = try self.session(for: first, early, writer, &losses)
        } catch {
            output.discard()
            throw error
        }
        try output.open()
        let progress =
            isQuiet
            ? nil : try ProgressLine.start(writer: writer, total: source.total, perSecond: source.frameRate.perSecond)
        var changes = changes(of: facts, by: session)
        var (failure, duration) = feed(session, facts, first, writer, publishing, &losses, &changes)
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
        // If the encoder or the input failed, the file is complete up to that frame.
        if writer.failure?.isOfOutput != true {
            do { try sink.finish() } catch { failure = failure ?? error }
        }
        let fileSize = output.fileSize
        do { try output.close() } catch { failure = failure ?? error }
        failure = writer.failure ?? failure
        if !isQuiet, let note = publishing?.note { Console.error("\(output.name): \(note)") }
        addExtras(to: &losses)
        try conclude(
            failure, writer, facts, losses, fileSize, passed,
            changes.lines + (container?.notes(on: source.name) ?? []), duration: duration,
            seconds: MonotonicClock.seconds - start)
    }

    private func firstFrame() throws -> TimedFrame? {
        do {
            return try Interruption.signal == nil ? source.next() : nil
        } catch {
            output.discard()
            throw error
        }
    }

    /// Adds the data in the stream and the container of a decoded file that the output lacks.
    private func addExtras(to losses: inout Losses) {
        guard let frames = source as? DecodedFrames else { return }
        let extras = frames.extras
        for extra in StreamExtras.Extra.allCases where extras.found.contains(extra) { losses.add(extra.rawValue) }
        losses.add(of: frames.file, in: container, inStream: extras.inStream.union([.dolbyVision]))
    }

    /// The facts about a file that is encoded in chunks.
    struct Preview {
        /// The line on what gets lost; nil if nothing does.
        var line: String?
        /// The metadata of the first frame.
        var metadata: [(key: PropertyKey, value: PropertyValue?)] = []
        /// The finder of later changes; nil if there is no frame.
        var changes: SignalChanges?
    }

    /// Decodes the first frame for a caller that encodes the file in chunks. Nothing is written.
    func preview() throws -> Preview {
        let writer = StreamWriter(AnnexBSink(output)) {}
        let early = try openSession(source.facts, writer)
        try source.begin()
        defer { source.stop() }
        guard let first = try source.next() else { return Preview() }
        var losses = Losses()
        let (session, facts) = try session(for: first, early, writer, &losses)
        let changes = changes(of: facts, by: session)
        try session.invalidate()
        addExtras(to: &losses)
        let names: [PropertyKey] = [.masteringDisplayColorVolume, .contentLightLevelInfo]
        let metadata = facts.properties.filter { property in
            names.contains(property.key) && !asked.contains { $0.key == property.key }
        }
        return Preview(line: losses.line(of: source.name), metadata: metadata, changes: changes)
    }

    private func changes(of facts: VideoFacts, by session: CompressionSession) -> SignalChanges {
        SignalChanges(
            input: source.name, output: output.name, facts: facts, bitDepth: Self.bitDepth(of: session),
            overridden: SourceSettings.overridden(by: asked))
    }

    /// Copies audio and subtitle tracks of a file whose times stay the same. Returns the numbers of these tracks.
    private func passTracks(_ sink: ContainerSink?) throws -> Set<Int> {
        guard let sink, let frames = source as? DecodedFrames, frames.keepsTimes, frames.file.hasOtherTracks else {
            return []
        }
        try output.open()
        frames.passTracks()
        return try sink.pass(tracksOf: frames.file)
    }

    /// The settings that follow from the output. Rate control counts the parameter sets that the output repeats.
    private var streamSettings: [(key: PropertyKey, value: PropertyValue?)] {
        let limits: [PropertyKey] = [.constantBitRate, .variableBitRate, .dataRateLimits]
        guard isElementary || container.kind == .mpegTS || container.parameterSetsInBand,
            asked.contains(where: { limits.contains($0.key) }), !asked.contains(where: { $0.key == .limitsOverSeams })
        else { return [] }
        return [(.parameterSetsInStream, true)]
    }

    /// Copies audio tracks to an address; otherwise the same as for a file.
    private func passTracks(_ sink: PublishSink) throws -> Set<Int> {
        guard let frames = source as? DecodedFrames, frames.keepsTimes, frames.file.hasOtherTracks else { return [] }
        frames.passTracks()
        return try sink.pass(tracksOf: frames.file)
    }

    /// Opens a session and its encoder, so that settings that the encoder refuses are reported before anything is read
    /// or written.
    private func openSession(_ facts: VideoFacts, _ writer: StreamWriter) throws -> CompressionSession {
        let session = try CompressionSession(
            width: facts.width, height: facts.height, codec: codec.code, encoderID: encoder, sourceFormat: facts.format,
            outputHandler: writer.take)
        do {
            try session.set(InputFacts.settings(of: facts, encoder: encoder, asked: streamSettings + asked))
            try session.prepare()
        } catch {
            throw Failure(ofSettings: error)
        }
        return session
    }

    /// Returns the session for facts that only the first decoded frame shows: its fields, its size and the metadata
    /// beside it. Returns `early` if there are no such facts. Fields are a loss if the size or the user's settings make
    /// them impossible.
    private func session(
        for first: TimedFrame, _ early: CompressionSession, _ writer: StreamWriter, _ losses: inout Losses
    ) throws -> (CompressionSession, VideoFacts) {
        guard let frames = source as? DecodedFrames, case .kept(let image) = first.pixels else {
            return (early, source.facts)
        }
        var facts = frames.facts(of: image, first.signal)
        let isOther =
            first.signal ?? frames.signal != frames.signal
            || (facts.width, facts.height) != (frames.facts.width, frames.facts.height)
            || facts.pixelAspectRatio ?? (1, 1) != frames.facts.pixelAspectRatio ?? (1, 1)
        if first.fields != nil {
            try frames.shape.checkFields(
                width: image.width, height: image.height, format: image.format, input: source.name)
        }
        facts.fields = first.fields
        (facts.masteringDisplay, facts.contentLight) = (frames.extras.masteringDisplay, frames.extras.contentLight)
        for loss in facts.removeMetadata(lackingIn: encoder) { losses.add(loss) }
        var session = early
        if isOther || facts.fields != nil || facts.masteringDisplay != nil || facts.contentLight != nil {
            try? early.invalidate()
            do {
                session = try openSession(facts, writer)
            } catch let error as Failure where facts.fields != nil {
                facts.fields = nil
                session = try openSession(facts, writer)
                losses.add("interlacing (\(error.message))")
            }
        }
        if asksForFields { facts.fields = nil }
        if let format = frames.file.format, format.hevcSequence != nil, !format.sequence.frameMbsOnly {
            losses.add("which fields make a frame (now each is one)")
        }
        if facts.chroma != "4:2:0" { losses.add("\(facts.chroma) (now 4:2:0)") }
        let bits = Self.bitDepth(of: session)
        if bits < facts.bitDepth { losses.add("\(facts.bitDepth) bits per sample (now \(bits))") }
        if !facts.width.isMultiple(of: 2) || !facts.height.isMultiple(of: 2) {
            let (width, height) = ((facts.width + 1) & ~1, (facts.height + 1) & ~1)
            losses.add("the size \(facts.width)x\(facts.height) (now \(width)x\(height), which 4:2:0 needs)")
        }
        return (session, facts)
    }

    private static func bitDepth(of session: CompressionSession) -> Int {
        (try? session.property(.outputBitDepth))?.integerValue.map { Int($0) } ?? 8
    }

    private var asksForFields: Bool { asked.contains { $0.key == .fieldCount || $0.key == .fieldDetail } }

    /// Encodes until the frames end or an error occurs. Returns that error, and the duration of the frames in seconds.
    private func feed(
        _ session: CompressionSession, _ facts: VideoFacts, _ first: TimedFrame, _ writer: StreamWriter,
        _ publishing: PublishSink?, _ losses: inout Losses, _ changes: inout SignalChanges
    ) -> (failure: (any Error)?, duration: Double) {
        var span = PresentationSpan()
        var next: TimedFrame? = first
        let frames = source as? DecodedFrames
        var constancy = PictureConstancy(
            input: source.name, output: output.name, fixesFormat: false, fixesSize: frames?.shape.fixesSize != true,
            canScale: frames != nil && frames?.shape.crop == nil)
        // The number of interlaced frames with another field order than the stream's, or in a progressive stream.
        var otherFields = 0
        let isToldAlready = asksForFields || first.fields != nil && facts.fields == nil
        defer {
            if otherFields > 0, !isToldAlready {
                losses.add("the interlacing of \(NumberText.count(otherFields, "frame"))")
            }
        }
        do {
            while let frame = next, writer.failure == nil {
                if let fields = frame.fields, fields != facts.fields { otherFields += 1 }
                publishing?.pace(frame.time)
                var options: FrameOptions? = FrameOptions()
                if let publishing { options = try publishing.options(of: session) }
                span.add(frame.time, frame.duration)
                guard let options else {
                    next = try source.next()
                    continue
                }
                switch frame.pixels {
                case .kept(let buffer):
                    try constancy.check(buffer, at: frame.time)
                    changes.look(at: frame, &losses)
                    unsafe try session.encode(
                        buffer, presentationTime: frame.time, duration: frame.duration, options: options)
                case .lent(let source):
                    try withExtendedLifetime(source) {
                        unsafe try session.encode(
                            copying: source.view, presentationTime: frame.time, duration: frame.duration,
                            options: options)
                    }
                }
                next = try source.next()
            }
            return (nil, span.seconds)
        } catch {
            return (error, span.seconds)
        }
    }

    /// Prints the summary and throws the error that becomes the exit code.
    private func conclude(
        _ failure: (any Error)?, _ writer: StreamWriter, _ facts: VideoFacts, _ losses: Losses, _ fileSize: Int?,
        _ passed: Set<Int>, _ notes: [String], duration: Double, seconds: Double
    ) throws {
        let counts = writer.finalCounts
        if counts.frames == 0 { output.discard() }
        let end = RunEnd(output: output.name, loss: output.loss, frames: counts.frames, isQuiet: isQuiet)
        if end.hasSummary(failure) {
            let summary = EncodeSummary(
                output: output.name, facts: facts, frameRate: source.frameRate, counts: counts, fileSize: fileSize,
                duration: duration, seconds: seconds, quality: writer.quality.text)
            Console.error(summary.text)
            let frames = source as? DecodedFrames
            let lines = [
                source.orientation.loss(of: source.name, in: output.name, container), losses.line(of: source.name),
                frames?.notice, isElementary ? nil : frames?.file.leftOut(besides: passed),
            ]
            for line in lines.compactMap(\.self) + notes { Console.error(line) }
        }
        try end.conclude(failure)
    }
}

/// The result of a run, for people.
struct EncodeSummary {
    let output: String
    let facts: VideoFacts
    let frameRate: RationalFrameRate
    let counts: RunCounts
    /// The size of the output file in bytes; nil if the output is not a regular file.
    let fileSize: Int?
    /// The duration of the frames in seconds.
    let duration: Double
    /// The seconds that the run took.
    let seconds: Double
    let quality: String?

    /// The lines without the last newline.
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
