/// The passes over one chunk, on any machine. The results do not depend on the machine.
package struct ChunkEncoder {
    private let chunk: Chunk
    private let source: any ChunkSource
    /// The directory for the statistics of the passes.
    private let directory: String
    private let limitsOverSeams: Bool
    private let progress: (@Sendable (Double) -> Bool)?

    /// - Parameters:
    ///   - directory: the directory for temporary files; nil for the one that `TMPDIR` names, or /tmp.
    ///   - limitsOverSeams: true for a chunk at a seam that exceeded a limit, see
    ///     ``ChunkStream/numbersAtSeamsOverLimits``. Sets ``PropertyKey/limitsOverSeams``.
    ///   - progress: receives the completed share of each pass, from 0 to 1. If it returns false, the pass ends and
    ///     throws `.cancelled`.
    package init(
        _ chunk: Chunk, of source: any ChunkSource, directory: String? = nil,
        limitsOverSeams: Bool = false, progress: (@Sendable (Double) -> Bool)? = nil
    ) {
        self.chunk = chunk
        self.source = source
        self.directory = directory ?? TemporaryDirectory.path
        self.limitsOverSeams = limitsOverSeams
        self.progress = progress
    }

    /// Encodes the chunk to learn how many bits its frames need.
    ///
    /// - Parameter qp: the QP from ``ChunkDivision``; nil: the encoder approaches the bit rate.
    package func firstPass(at qp: Double? = nil) throws(NaluError) -> ChunkResult {
        let storage = try MultiPassStorage(directory: directory)
        let samples = SampleCollector(keepsSamples: false)
        let session = try chunk.settings.session(
            storage, isFirst: chunk.isFirst, isLast: chunk.isLast, limitsOverSeams: limitsOverSeams, samples.take)
        defer { try? session.invalidate() }
        try session.beginPass(at: qp)
        var result = ChunkResult(.firstPass, chunk)
        let pass = try encode(with: session, samples)
        (result.frameCount, result.duration) = (pass.frameCount, pass.duration)
        result.damagedFrameCount = pass.damagedFrameCount
        if pass.frameCount > 0 {
            _ = try session.endPass()
            result.data = try storage.data()
        }
        return result
    }

    /// A bit rate in bits per second of which a kilobit is a notable part.
    private static let lowRate = 20_000

    /// Encodes the chunk at a bit rate.
    ///
    /// - Parameters:
    ///   - first: the result of the first pass.
    ///   - bitRate: bits per second, from ``ChunkDivision``; at most the rate of the level is used.
    ///   - mostPasses: the highest number of passes, with the first one: 2 to 6. A third pass and later ones are made
    ///     only if the size is more than 1.5 % off and another pass is likely to help.
    package func secondPass(
        after first: ChunkResult, bitRate: Int, mostPasses: Int = 6
    ) throws(NaluError) -> ChunkResult {
        guard first.stage == .firstPass, first.number == chunk.number else {
            throw NaluError(
                .parameter, "the first pass is of chunk \(first.number); expected that of chunk \(chunk.number)")
        }
        guard (2...6).contains(mostPasses) else {
            throw NaluError(.outOfRange, "passes is \(mostPasses); expected 2 to 6")
        }
        guard bitRate >= 1 else { throw NaluError(.outOfRange, "bit_rate is \(bitRate); expected 1 or more") }
        var result = ChunkResult(.secondPass, chunk)
        guard first.frameCount > 0 else {
            result.duration = first.duration
            return result
        }
        // x264 counts in kilobits, and refuses a rate that is too low for the headers.
        var rate = bitRate > Self.lowRate ? bitRate : (bitRate + 999) / 1000 * 1000
        rate = min(rate, chunk.settings.highestRate ?? rate)
        let storage = try MultiPassStorage(data: first.data, directory: directory)
        let collector = Guarded(SampleCollector())
        let session = try chunk.settings.session(
            storage, isFirst: chunk.isFirst, isLast: chunk.isLast, bitRate: rate, limitsOverSeams: limitsOverSeams
        ) { frame in collector.withLock { $0 }.take(frame) }
        defer { try? session.invalidate() }
        var again = true
        while again {
            let samples = SampleCollector()
            collector.withLock { $0 = samples }
            result.passCount += 1
            try session.beginPass(isFinal: result.passCount + 1 == mostPasses)
            let pass = try encode(with: session, samples)
            again = try session.endPass(isFinal: result.passCount + 1 == mostPasses)
            guard pass.frameCount == first.frameCount else {
                throw NaluError(
                    .conflict,
                    "chunk \(chunk.number) has \(pass.frameCount) frames, and had \(first.frameCount) in the first pass: the source changed"
                )
            }
            result.duration = pass.duration
        }
        let samples = try collector.withLock { $0 }.samples(of: session)
        guard !samples.isEmpty else {
            throw NaluError(
                .outOfRange, "DataRateLimits leave no room for any frame of \(chunk.text); expected larger ones")
        }
        result.frameCount = samples.count
        result.bits = 8 * samples.reduce(0) { sum, sample in unsafe sum + sample.data.count }
        result.data = ChunkSamples.bytes(of: samples)
        return result
    }

    /// The frames of one pass.
    private struct Pass {
        var frameCount = 0
        var damagedFrameCount = 0
        private var first: MediaTime?
        private var last = MediaTime.zero
        private var lastDuration = MediaTime.zero

        mutating func add(_ frame: ChunkFrame) {
            if frame.duration.isNumeric {
                lastDuration = frame.duration
            } else if first != nil {
                lastDuration = frame.time - last
            }
            frameCount += 1
            if frame.isDamaged { damagedFrameCount += 1 }
            first = first ?? frame.time
            last = frame.time
        }

        var duration: MediaTime { first.map { last - $0 + lastDuration } ?? .zero }
    }

    private func encode(with session: CompressionSession, _ samples: SampleCollector) throws(NaluError) -> Pass {
        var pass = Pass()
        try source.forEachFrame(from: chunk.begin, to: chunk.end) { (frame) throws(NaluError) in
            try checkSize(frame)
            pass.add(frame)
            try session.encode(frame)
            try samples.check(session)
            let share = chunk.seconds > 0 ? pass.duration.seconds / chunk.seconds : 1
            guard progress?(min(share, 1)) != false else {
                throw NaluError(.cancelled, "the work on a chunk was cancelled")
            }
        }
        if pass.frameCount > 0 { try session.complete() }
        try samples.check(session)
        return pass
    }

    /// Throws if a frame of a file has another size than the first one, unless all frames are scaled.
    private func checkSize(_ frame: ChunkFrame) throws(NaluError) {
        let (width, height) = frame.pixels.size
        let settings = chunk.settings
        guard frame.hasFixedSize, !settings.scales, (width, height) != (settings.width, settings.height) else { return }
        throw NaluError(
            .invalidSize,
            "the frames change from \(settings.width)x\(settings.height) to \(width)x\(height) at \(frame.time.secondsText) s, and a video has one size for all; expected frames of one size, or a size to which all are scaled"
        )
    }
}

extension ChunkResult {
    fileprivate init(_ stage: Stage, _ chunk: Chunk) {
        self.init(stage: stage, number: chunk.number)
        limits = chunk.settings.limits
    }
}
