internal import ArgumentParser
internal import Nalu
private import NaluMedia

/// One run of `nalu decode`.
struct DecodeRun {
    private let isQuiet: Bool
    private let fileFormat: FrameFileFormat
    private let sheet: SheetSize
    private let output: OutputFile
    private let source: DecodedFrames
    private let counter = FrameCounter()
    private let limit: Int?
    private let inputPath: String?
    private let inputFormat: InputFormatArgument?
    private let ignoresEditList: Bool

    init(_ command: DecodeCommand) throws {
        isQuiet = command.quiet
        fileFormat = command.fileFormat
        sheet = try command.sheet ?? SheetSize.read("4x3")
        limit = command.frames
        var options = try DecoderProperties.options(command.properties, option: "-p")
        options.pixelFormat = fileFormat == .rgb24 ? .rgb24 : nil
        var input = try InputFile(path: command.input)
        inputFormat = command.inputFormat
        output = try OutputFile(
            path: command.output, replaces: command.force, input: input, container: OutputContainer(kind: .h264),
            isPending: fileFormat == .png)
        ignoresEditList = command.ignoreEditList
        // A contact sheet needs the number of frames first. Some files must be read to the end to count them.
        if fileFormat == .png && input.path == nil {
            input = try InputSpooler.copy(of: input.descriptor, name: input.name)
        }
        inputPath = input.path
        let file = try MediaFile(input, track: command.track, format: inputFormat, ignoresEditList: ignoresEditList)
        source = try DecodedFrames(file, limit: command.frames, options: options)
        if let misfit = fileFormat.misfit(of: source.facts, source.name) { throw Failure.usage(misfit) }
    }

    func run() throws {
        Interruption.ignoreBrokenPipes()
        try Interruption.watch { [source] in source.stop() }
        let start = MonotonicClock.seconds
        let sink = try makeSink()
        try source.begin()
        var span = PresentationSpan()
        var pace = Pace()
        var progress: ProgressLine?
        var failure: (any Error)?
        var isOpen = false
        // The header of Y4M has pixel aspect ratio and chroma location, but no colours.
        var changes = SignalChanges(
            input: source.name, output: output.name, facts: source.facts, bitDepth: .max,
            overridden: [.colorPrimaries, .transferFunction, .yCbCrMatrix])
        var losses = Losses()
        do {
            while let frame = try source.next() {
                guard case .kept(let image) = frame.pixels else { continue }
                if !isOpen {
                    try output.open()
                    isOpen = true
                    progress = isQuiet ? nil : try startProgress()
                }
                try sink.write(image, of: frame)
                if fileFormat == .y4m { changes.look(at: frame, &losses) }
                span.add(frame.time, frame.duration)
                pace.add(frame.time)
                counter.add(bytes: 0)
            }
        } catch {
            failure = error
        }
        source.stop()
        progress?.finish()
        let count = counter.counts.frames
        if count > 0 {
            do {
                try sink.finish()
                output.complete()
            } catch {
                failure = failure ?? error
            }
        }
        let size = output.fileSize
        do { try output.close() } catch { failure = failure ?? error }
        if count == 0 { output.discard() }
        let nothing = Interruption.signal == nil && count == 0 ? Failure("\(source.name) has no frames") : nil
        let end = RunEnd(output: output.name, frames: count, isQuiet: isQuiet)
        if end.hasSummary(failure) {
            tell(count, span.seconds, size, MonotonicClock.seconds - start)
            if let notice = source.notice { Console.error(notice) }
            for line in changes.lines { Console.error(line) }
            if fileFormat != .png && !pace.isEven {
                Console.error("the frames are unevenly spaced, which \(output.name) cannot store")
            }
        }
        try end.conclude(failure ?? nothing)
    }

    private func startProgress() throws -> ProgressLine? {
        try ProgressLine.start(writer: counter, total: source.total, perSecond: nil)
    }

    private func makeSink() throws -> any FrameSink {
        switch fileFormat {
        case .y4m: return PlanarSink(output, source, rate: source.frameRate)
        case .yuv: return PlanarSink(output, source, rate: nil)
        case .i420, .yuv420p, .nv12, .p010, .rgb24: return RawSink(output, fileFormat, source)
        case .png:
            let count = try source.file.track.sampleCount ?? countSamples()
            return SheetSink(
                output, sheet, frames: max(1, min(count, limit ?? .max)), facts: source.facts,
                orientation: source.orientation)
        }
    }

    /// Counts the frames of an input that does not state their number. This reads the input a second time.
    private func countSamples() throws -> Int {
        guard let path = inputPath else {
            throw Failure(
                "\(source.name) does not state its number of frames; a contact sheet needs an input file with a name")
        }
        let file = try MediaFile(
            InputFile(path: path), track: source.file.track.index, format: inputFormat,
            ignoresEditList: ignoresEditList)
        var reading = TolerantSampleReader(file)
        var count = 0
        while count < limit ?? .max, let sample = try reading.next() {
            if !sample.attachments.contains(.doNotDisplay) { count += 1 }
        }
        return count
    }

    private func tell(_ count: Int, _ duration: Double, _ size: Int?, _ seconds: Double) {
        let bytes = size.map { "\(NumberText.scaled(Double($0), unit: "B")); " } ?? ""
        Console.error(
            "\(output.name): \(NumberText.count(count, "frame")) of \(source.facts.width)x\(source.facts.height) at "
                + "\(source.frameRate.text) fps, \(NumberText.decimal(duration, places: 2)) s\n"
                + "\(bytes)decoded in \(NumberText.decimal(seconds, places: 2)) s, "
                + "\(NumberText.decimal(Double(count) / max(seconds, 0.000_001), places: 1)) fps")
    }
}

/// Returns whether frames follow each other in even steps, apart from rounding to a timescale.
struct Pace {
    private var last: MediaTime?
    private var shortest = Double.infinity
    private var longest = 0.0
    private var unit = 0.0

    mutating func add(_ time: MediaTime) {
        if let last {
            let step = (time - last).seconds
            shortest = min(shortest, step)
            longest = max(longest, step)
        }
        if time.timescale > 0 { unit = max(unit, 1 / Double(time.timescale)) }
        last = time
    }

    var isEven: Bool { longest - shortest <= 1.5 * unit }
}
