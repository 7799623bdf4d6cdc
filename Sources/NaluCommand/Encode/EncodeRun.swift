internal import ArgumentParser
private import Glibc
private import Nalu

/// One run of `nalu encode`: opens everything, feeds the session, and says what came of it.
struct EncodeRun {
    private let isQuiet: Bool
    private let limit: Int?
    private let input: InputFile
    private let output: OutputFile
    private let packing: FramePacking
    private let framing: Framing
    private let frameRate: FrameRate
    private let settings: [(key: PropertyKey, value: PropertyValue?)]

    private var facts: VideoFacts { packing.facts }

    /// Nothing is written yet.
    init(_ command: EncodeCommand) throws {
        isQuiet = command.quiet
        limit = command.input.frames
        let asked = try command.encoder.settings()
        input = try InputFile(path: command.input.input)
        output = try OutputFile(path: command.output, replaces: command.force, input: input)
        var facts = try InputFacts.read(command.input, from: input)
        framing = command.input.format == nil ? .y4m : .none
        facts.frameRate = command.input.fps ?? facts.frameRate
        guard let frameRate = facts.frameRate else {
            throw Failure("\(input.name) does not say its frame rate; add --fps RATE")
        }
        self.frameRate = frameRate
        settings = InputFacts.settings(of: facts, asked: asked)
        packing = FramePacking(facts)
        if framing == .none { try checkRaw(command.input) }
    }

    func run() throws {
        let stop = Waitable<ReadAhead?>(nil)
        Interruption.ignoreBrokenPipes()
        Interruption.explainLostInput()
        try Interruption.watch { stop.read { $0 }?.stop() }
        let writer = StreamWriter(output) { stop.read { $0 }?.stop() }
        let session = try openSession(writer)
        let start = MonotonicTime.now
        var total: Int?
        let reader: any PayloadReader
        if let size = input.size {
            let mapped = MappedReader(input, size: size, framing: framing, payloadSize: packing.byteCount)
            total = min(mapped.frameCount, limit ?? .max)
            reader = mapped
        } else {
            reader = StreamReader(input, framing: framing, payloadSize: packing.byteCount)
            total = limit
        }
        let frames = try ReadAhead(reader, packing: packing, limit: limit)
        stop.change { $0 = frames }

        guard let first = try Interruption.signal == nil ? frames.next() : nil else {
            if let signal = Interruption.signal { throw ExitCode(Interruption.exitCode(signal)) }
            throw Failure("\(input.name) holds no frames")
        }
        try output.open()
        let progress = isQuiet ? nil : try ProgressLine.start(writer: writer, total: total, frameRate: frameRate)
        var failure = feed(session, first, frames, writer)
        if writer.failure == nil {
            do { try session.complete() } catch { failure = failure ?? error }
        }
        progress?.finish()
        try? session.invalidate()
        do { try output.close() } catch { failure = failure ?? error }
        failure = writer.failure ?? failure
        try conclude(failure, writer, seconds: MonotonicTime.now - start)
    }

    /// A file of frames that are not of this format and size mostly shows by its beginning or by its size.
    private func checkRaw(_ options: InputOptions) throws(Failure) {
        if input.begins(with: Y4MHeader.magic) {
            throw Failure("\(input.name) is Y4M, which tells format and size itself; leave out --format and --size")
        }
        guard let size = input.size.map({ max(0, $0 - input.position) }), let format = options.format else { return }
        let (whole, rest) = size.quotientAndRemainder(dividingBy: packing.byteCount)
        guard rest != 0, whole < limit ?? .max else { return }
        let frames = NumberText.count(whole, "frame")
        let remedy = whole > 0 ? ", or encode the whole ones with --frames \(whole)" : ""
        throw Failure(
            "\(input.name) has \(frames) of \(facts.width)x\(facts.height) \(format) (\(packing.byteCount) bytes each) and "
                + "\(rest) bytes more; correct --format or --size\(remedy)")
    }

    /// The session with its encoder open: what it refuses is told before anything is read or written.
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

    /// Encodes until the frames end, or until something fails.
    private func feed(
        _ session: CompressionSession, _ first: SourceFrame, _ frames: ReadAhead, _ writer: StreamWriter
    ) -> (any Error)? {
        // What needs no conversion is not copied either.
        let isKept = facts.format.is420 && facts.format.bitDepth == 8
        let duration = frameRate.time(ofFrame: 1)
        var next: SourceFrame? = first
        var number = 0
        do {
            while let frame = next, writer.failure == nil {
                let time = frameRate.time(ofFrame: number)
                if isKept {
                    let buffer = PixelBuffer(wrapping: frame.view) { withExtendedLifetime(frame) {} }
                    unsafe try session.encode(buffer, presentationTime: time, duration: duration)
                } else {
                    try withExtendedLifetime(frame) {
                        unsafe try session.encode(copying: frame.view, presentationTime: time, duration: duration)
                    }
                }
                number += 1
                next = try frames.next()
            }
            return nil
        } catch {
            return error
        }
    }

    /// The summary and the exit code.
    private func conclude(_ failure: (any Error)?, _ writer: StreamWriter, seconds: Double) throws {
        let counts = writer.counts
        let frameCount = counts.frames
        if frameCount == 0 { output.discard() }
        if !isQuiet && frameCount > 0 {
            let summary = EncodeSummary(
                output: output.name, facts: facts, frameRate: frameRate, counts: counts, seconds: seconds,
                quality: writer.quality.text)
            Console.error(summary.text)
        }
        if let failure {
            guard frameCount > 0 else { throw failure }
            let message = (failure as? Failure)?.message ?? (failure as? NaluError)?.message ?? "\(failure)"
            throw Failure("\(message); \(NumberText.count(frameCount, "frame")) went to \(output.name)")
        }
        if let signal = Interruption.signal {
            if !isQuiet { Console.error("nalu: interrupted; what was read until then went to \(output.name)") }
            throw ExitCode(Interruption.exitCode(signal))
        }
    }
}
