internal import ArgumentParser
internal import Nalu
internal import NaluMedia

/// One run of `nalu demux`.
struct DemuxRun {
    private let isQuiet: Bool
    private let file: MediaFile
    private let output: OutputFile
    private let container: OutputContainer

    init(_ command: DemuxCommand) throws {
        FFmpegLog.silence()
        isQuiet = command.quiet
        let input = try InputFile(path: command.input)
        var container = command.outputOptions.container(of: command.output)
        output = try OutputFile(
            path: command.output, replaces: command.outputOptions.force, input: input, container: container,
            allowsAddress: true)
        file = try MediaFile(
            input, track: command.track, format: command.inputFormat, ignoresEditList: command.ignoreEditList)
        // If neither an option nor the extension names a format, the output is a stream of the track's codec.
        let isNamed =
            output.address != nil || command.outputOptions.container != nil
            || OutputContainer.container(ofPath: command.output) != nil
        if !isNamed, file.track.codec == FormatDescription.hevc { container.kind = .hevc }
        self.container = container
        try CodecMatch.check(file, container, output)
        guard !file.reader.displaysSeveralRanges(ofTrack: file.track.index) else {
            throw Failure(
                "the edit list of \(file.name) displays several ranges of the video, which a copy cannot keep; use nalu transcode, or add --ignore-edit-list to copy every frame"
            )
        }
    }

    func run() throws {
        Interruption.ignoreBrokenPipes()
        try Interruption.watch { [reader = file.reader] in reader.cancel() }
        let start = MonotonicClock.seconds
        let options = file.trackOptions(for: container, isEncoded: false)
        let publishing = try PublishSink(to: output, hasRate: false)
        let isStream = container.kind.isElementaryStream || publishing != nil
        let container: ContainerSink? =
            isStream ? nil : ContainerSink(output, container, track: options, repairsTimes: true)
        let fileSink: any SampleSink = container ?? AnnexBSink(output)
        let sink: any SampleSink = publishing ?? fileSink
        let writer = StreamWriter(sink) {}
        var reading = TolerantSampleReader(file)
        var (skipped, hidden, span) = (0, 0, PresentationSpan())
        var format: FormatDescription?
        var failure: (any Error)?
        var progress: ProgressLine?
        var passed: Set<Int> = []
        var extras = StreamExtras()
        do {
            if let container, file.hasOtherTracks {
                try output.open()
                passed = try container.pass(tracksOf: file)
            }
            if let publishing, file.hasOtherTracks { passed = try publishing.pass(tracksOf: file) }
            while let sample = try reading.next() {
                publishing?.pace(sample.decodeTime.isNumeric ? sample.decodeTime : sample.presentationTime)
                if writer.counts.frames == 0 {
                    // Frames before the first key frame or partial sync sample cannot be decoded.
                    guard sample.isKeyFrame || sample.attachments.contains(.partialSync) else {
                        skipped += 1
                        continue
                    }
                    try output.open()
                    format = sample.formatDescription
                    progress =
                        isQuiet
                        ? nil
                        : try ProgressLine.start(
                            writer: writer, total: file.track.sampleCount,
                            perSecond: file.track.nominalFrameRate ?? RationalFrameRate.unknown.perSecond)
                }
                if sample.attachments.contains(.doNotDisplay) { hidden += 1 } else { span.add(sample) }
                try writer.write(sample)
                extras.look(at: sample)
            }
        } catch {
            failure = error
        }
        progress?.finish()
        do { try sink.finish() } catch { failure = failure ?? error }
        let size = output.fileSize
        do { try output.close() } catch { failure = failure ?? error }
        let counts = writer.finalCounts
        if counts.frames == 0 { output.discard() }
        let end = RunEnd(output: output.name, loss: output.loss, frames: counts.frames, isQuiet: isQuiet)
        if end.hasSummary(failure) {
            tell(counts, format, skipped, hidden, span, size, passed, extras, seconds: MonotonicClock.seconds - start)
            for note in container?.notes(on: file.name) ?? [] { Console.error(note) }
            if let note = publishing?.note { Console.error("\(output.name): \(note)") }
        }
        try end.conclude(
            failure ?? reading.failure
                ?? (counts.frames == 0 ? Failure("\(file.name) has no key frame, so nothing can be decoded") : nil))
    }

    private func tell(
        _ counts: RunCounts, _ format: FormatDescription?, _ skipped: Int, _ hidden: Int, _ span: PresentationSpan,
        _ size: Int?, _ passed: Set<Int>, _ extras: StreamExtras, seconds: Double
    ) {
        Console.error(
            "\(output.name): \(NumberText.count(counts.frames, "frame")) (\(NumberText.count(counts.keyFrames, "key frame"))) "
                + "of \(format?.width ?? file.track.width)x\(format?.height ?? file.track.height), "
                + "\(NumberText.decimal(span.seconds, places: 2)) s\n"
                + "\(NumberText.scaled(Double(size ?? counts.bytes), unit: "B")), "
                + "\(NumberText.scaled(span.seconds > 0 ? Double(counts.bytes) * 8 / span.seconds : 0, unit: "b/s")); "
                + "read in \(NumberText.decimal(seconds, places: 2)) s")
        if skipped > 0 {
            Console.error("\(NumberText.count(skipped, "frame")) before the first key frame left out")
        }
        if hidden > 0 && (!container.kind.isBaseMedia || container.isFragmented) {
            Console.error(
                "the edit list of \(file.name) hides \(NumberText.count(hidden, "frame")); \(output.name) cannot store that"
            )
        }
        var losses = Losses()
        losses.add(of: file, in: container, inStream: extras.inStream)
        // FFmpeg does not read the boxes of further layers or views: lhvC, vexu and hfov, or mvcC.
        if extras.found.contains(.layers) { losses.add("the configuration of further layers or views") }
        if let line = losses.line(of: file.name) { Console.error(line) }
        if let note = file.leftOut(besides: passed), !container.kind.isElementaryStream { Console.error(note) }
        if let loss = Orientation(of: file.track).loss(of: file.name, in: output.name, container) {
            Console.error(loss)
        }
    }
}

/// Checks whether an output can hold the codec of an input.
enum CodecMatch {
    static func check(_ file: MediaFile, _ container: OutputContainer, _ output: OutputFile) throws(Failure) {
        let isHEVC = file.track.codec == FormatDescription.hevc
        func remedy(_ name: String) -> String { "name the output .\(name), or add --container \(name)" }
        if container.kind == .h264, isHEVC {
            throw Failure("\(file.name) has H.265 video, but \(output.name) is for H.264; \(remedy("h265"))")
        }
        if container.kind == .hevc, !isHEVC {
            throw Failure("\(file.name) has H.264 video, but \(output.name) is for H.265; \(remedy("h264"))")
        }
    }
}
