internal import ArgumentParser
internal import Nalu
private import NaluBase
private import NaluLibc
internal import NaluMedia

/// Encodes a file in chunks, by threads of this process.
struct ChunkedRun {
    /// The stages, by the extension of their results. Some first passes are made twice or three times.
    private static let firstPasses = ["first", "first2", "first3"]
    private static let secondPass = "second"
    /// The second pass with shares of `DataRateLimits`, for chunks at a seam that exceeded one.
    private static let repeatedSecondPass = "second2"
    private static let mostPasses = 6

    let file: MediaFile
    let source: FileChunkSource
    let output: OutputFile
    let container: OutputContainer
    let options: ChunkPlanOptions
    let workerCount: Int
    /// The directory of finished chunks.
    let path: String
    let resumes: Bool
    let isQuiet: Bool
    /// The signals that the workers find.
    let seen: SeenSignals
    /// The finder of changes of the signal; nil if the first frame cannot be decoded.
    let changes: SignalChanges?

    func run() throws {
        Interruption.ignoreBrokenPipes()
        try Interruption.watch {}
        let start = MonotonicClock.seconds
        let identity = try source.identity()
        let chunks: [Chunk]
        do throws(NaluError) {
            var options = options
            // The run checks the windows over seams.
            options.properties.insert((.limitsOverSeams, false), at: 0)
            chunks = try ChunkPlan(of: source, options).chunks
        } catch {
            throw Failure(ofSettings: error)
        }
        // Errors of the output must be reported before hours of work.
        let sink = ContainerSink(output, container, track: file.trackOptions(for: container, isEncoded: true))
        try output.open()
        let passed = try sink.pass(tracksOf: file)
        let directory = try ChunkDirectory(path, plan: plan(chunks, identity), resumes: resumes)
        var isDone = false
        defer { if isDone || directory.isEmpty { directory.remove() } }
        let counter = ShareCounter()
        let line = isQuiet ? nil : try ProgressLine.start(share: counter)
        let stream: ChunkStream
        var further = 0
        do {
            defer { line?.finish() }
            let stages = try encode(chunks, directory, counter)
            guard try source.identity() == identity else {
                isDone = true
                throw Failure("\(source.name) changed while it was encoded; encode it again")
            }
            (stream, further) = try join(stages, directory, sink, copiesTracks: !passed.isEmpty)
        } catch {
            output.discard()
            if let signal = Interruption.signal, (error as? NaluError)?.status == .cancelled {
                let rest = directory.isEmpty ? "no chunk was finished" : "--resume continues with the finished chunks"
                Console.error("nalu: interrupted; \(rest)")
                throw ExitCode(Interruption.exitCode(signal))
            }
            var message = (error as? Failure)?.message ?? (error as? NaluError)?.message ?? "\(error)"
            if (error as? NaluError)?.status == .invalidSize {
                // Finished chunks are of no use, because --size excludes --workers.
                isDone = true
                message += ": --size, without --workers"
            }
            guard !isDone, !directory.isEmpty else { throw Failure(message) }
            throw Failure("\(message). The finished chunks are in \(path); --resume continues with them")
        }
        isDone = true
        guard !isQuiet else { return }
        let seconds = chunks.reduce(0) { $0 + $1.seconds }
        Console.error(
            "\(output.name): \(NumberText.count(stream.frameCount, "frame")), \(NumberText.decimal(seconds, places: 2)) s, "
                + "\(NumberText.scaled(Double(stream.bits) / max(seconds, 0.001), unit: "b/s")); "
                + "\(NumberText.count(chunks.count, "chunk"))\(further > 0 ? " (\(further) with more than two passes)" : "") "
                + "by \(NumberText.count(workerCount, "worker")) in \(NumberText.decimal(MonotonicClock.seconds - start, places: 2)) s"
        )
        if let loss = Orientation(of: file.track).loss(of: source.name, in: output.name, container) {
            Console.error(loss)
        }
        if let note = file.leftOut(besides: passed) { Console.error(note) }
        for note in sink.notes(on: file.name) { Console.error(note) }
        for line in lines(onChangesFrom: chunks.first?.begin) { Console.error(line) }
    }

    /// Returns lines on the pictures that the output labels wrongly or reduces.
    private func lines(onChangesFrom begin: MediaTime?) -> [String] {
        guard var changes else { return [] }
        var losses = Losses()
        // Chunks that an earlier run has finished are not decoded again.
        if let format = file.format { seen.addBeginning(format, at: begin ?? file.track.startTime ?? .zero) }
        seen.report(to: &changes, &losses)
        return changes.lines + (losses.line(of: file.name).map { [$0] } ?? [])
    }

    /// Returns the facts on which results depend, as text.
    private func plan(_ chunks: [Chunk], _ identity: String) -> String {
        let begins = chunks.map { $0.begin.map(String.init(describing:)) ?? "begin" }
        let encoders = EncoderRegistry.all.map { "\($0.name)" }
        let facts = [
            "nalu chunks 1", ToolVersion.text, identity, "\(chunks[0].settings)", "\(Self.mostPasses)",
        ]
        return (facts + encoders + begins).joined(separator: "\n") + "\n"
    }

    /// Encodes the chunks that are not finished yet. Returns the stage of each chunk's latest second pass.
    private func encode(_ chunks: [Chunk], _ directory: ChunkDirectory, _ counter: ShareCounter) throws -> [String] {
        let workers = ChunkWorkers(workerCount, for: chunks)
        let source = source
        @Sendable func encoder(
            _ number: Int, limitsOverSeams: Bool = false, _ progress: @escaping @Sendable (Double) -> Bool
        ) -> ChunkEncoder {
            ChunkEncoder(chunks[number], of: source, limitsOverSeams: limitsOverSeams, progress: progress)
        }
        func checkSignal() throws(NaluError) {
            if Interruption.signal != nil { throw NaluError(.cancelled, "interrupted") }
        }
        func missing(_ stage: String, of numbers: some Sequence<Int>) -> [Int] {
            numbers.filter { directory.result(stage, $0) == nil }
        }
        let first = Self.firstPasses[0]
        try workers.run(missing(first, of: chunks.indices), progress: { counter.share = $0 / 2 }) {
            (number, progress) throws(NaluError) in
            try directory.keep(encoder(number, progress).firstPass(), of: first)
        }
        // The stage of each chunk's latest first pass.
        var stages = Array(repeating: first, count: chunks.count)
        func divide() throws(NaluError) -> ChunkDivision {
            try checkSignal()
            return try ChunkDivision(options.bitRate, count: chunks.count, directory: directory.path) {
                (number) throws(NaluError) in try directory.require(stages[number], number)
            }
        }
        var division = try divide()
        for stage in Self.firstPasses.dropFirst() {
            let qps = division.firstPassQPs
            let repeated = chunks.indices.filter { qps[$0] != nil }
            if repeated.isEmpty { break }
            try workers.run(missing(stage, of: repeated), progress: { _ in }) { (number, progress) throws(NaluError) in
                try directory.keep(encoder(number, progress).firstPass(at: qps[number]), of: stage)
            }
            for number in repeated { stages[number] = stage }
            division = try divide()
        }
        let (rates, latest) = (division.bitRates, stages)
        func secondPass(_ stage: String, of numbers: some Sequence<Int>, progress: @escaping @Sendable (Double) -> Void)
            throws
        {
            try workers.run(missing(stage, of: numbers), progress: progress) { (number, progress) throws(NaluError) in
                let first = try directory.require(latest[number], number)
                let encoder = encoder(number, limitsOverSeams: stage == Self.repeatedSecondPass, progress)
                let result = try encoder.secondPass(after: first, bitRate: rates[number], mostPasses: Self.mostPasses)
                try directory.keep(result, of: stage)
            }
            try checkSignal()
        }
        try secondPass(Self.secondPass, of: chunks.indices) { counter.share = (1 + $0) / 2 }
        stages = Array(repeating: Self.secondPass, count: chunks.count)
        while true {
            let repeated = try numbersAtSeamsOverLimits(stages, directory).filter { stages[$0] == Self.secondPass }
            if repeated.isEmpty { return stages }
            for number in repeated { stages[number] = Self.repeatedSecondPass }
            try secondPass(Self.repeatedSecondPass, of: repeated) { _ in }
        }
    }

    /// Returns the chunks at seams in windows that exceed `DataRateLimits`.
    private func numbersAtSeamsOverLimits(_ stages: [String], _ directory: ChunkDirectory) throws(NaluError) -> [Int] {
        var stream = ChunkStream(allowsSeamsOverLimits: true)
        for (number, stage) in stages.enumerated() {
            let chunk = try directory.require(stage, number)
            if stages.count == 1 || chunk.limits.isEmpty { return [] }
            _ = try stream.samples(of: chunk)
        }
        return stream.numbersAtSeamsOverLimits
    }

    /// Writes the chunks in order. Returns the stream, and the number of chunks with more than two passes.
    private func join(
        _ stages: [String], _ directory: ChunkDirectory, _ sink: ContainerSink, copiesTracks: Bool
    ) throws -> (ChunkStream, Int) {
        var stream = ChunkStream()
        var further = 0
        var tracks = copiesTracks ? SideTracks(of: file.reader) : nil
        for (number, stage) in stages.enumerated() {
            let chunk = try directory.require(stage, number)
            if chunk.passCount > 1 { further += 1 }
            for sample in try stream.samples(of: chunk) {
                if Interruption.signal != nil { throw NaluError(.cancelled, "interrupted") }
                try tracks?.copy(upTo: sample)
                _ = try sink.write(sample)
            }
        }
        guard stream.frameCount > 0 else { throw Failure("\(source.name) has no frames") }
        try sink.finish()
        try output.close()
        return (stream, further)
    }
}

extension FileChunkSource {
    /// Returns the path, the size and the modification time of the file.
    fileprivate func identity() throws(Failure) -> String {
        var facts = stat()
        guard unsafe stat(name.pathBytes, &facts) == 0 else { throw .unreadable(name) }
        let time = facts.st_mtim
        let resolved = unsafe realpath(name.pathBytes, nil)
        defer { unsafe free(resolved) }
        let path = unsafe resolved.map { unsafe String(path: $0) } ?? name
        return "\(path) \(facts.st_size) \(time.tv_sec).\(time.tv_nsec)"
    }
}

/// Reads the source of a video again, so that its reader copies the other tracks to a writer.
struct SideTracks {
    private let reader: Reader
    private var reached: MediaTime?
    private var isAtEnd = false

    /// - Parameter reader: a reader with tracks that a writer copies (``Writer/addTrack(_:of:)``).
    init(of reader: Reader) {
        self.reader = reader
    }

    /// Copies the packets up to the end of a sample. To be called before the sample is written.
    mutating func copy(upTo sample: Sample) throws(NaluError) {
        let end = sample.presentationTime + (sample.duration.isNumeric ? sample.duration : .zero)
        while !isAtEnd, reached.map({ $0 <= end }) != false {
            if let next = try reader.nextVideo() { reached = next.decodeTime } else { isAtEnd = true }
        }
    }
}
