/// The state of a ``ChunkJoiner`` after the samples so far.
struct JoinedStream {
    private let allowsGaps: Bool
    private let allowsSeamsOverLimits: Bool
    /// The seams in windows that exceed a limit. Seam n is the beginning of chunk n.
    private(set) var seamsOverLimits: Set<Int> = []

    private var format: FormatDescription?
    /// The index of the current chunk, from 0.
    private var chunk = -1
    /// The first presentation time of the current chunk; nil if it has no samples yet.
    private var first: MediaTime?
    /// The end of the previous chunk.
    private var end: ChunkEnd?
    /// The end of all samples so far, in presentation order.
    private var newest: ChunkEnd?
    /// The last decode time, before and after it was moved.
    private var lastDecodeTime: (given: MediaTime, joined: MediaTime)?
    /// True if decode times of the current chunk were moved.
    private var movesTimes = false
    private var windows: [RateWindow]

    init(limits: DataRateLimits, allowsGaps: Bool, allowsSeamsOverLimits: Bool) {
        self.allowsGaps = allowsGaps
        self.allowsSeamsOverLimits = allowsSeamsOverLimits
        windows = limits.all.map { RateWindow($0) }
    }

    mutating func beginChunk() throws(NaluError) {
        guard chunk < 0 || first != nil else {
            throw NaluError(.outOfOrder, "begin_chunk: chunk \(chunk) has no samples; expected at least one")
        }
        chunk += 1
        first = nil
        end = newest
        movesTimes = false
    }

    mutating func add(_ sample: Sample) throws(NaluError) -> Sample {
        guard chunk >= 0 else {
            throw NaluError(.outOfOrder, "add: no chunk has begun; expected begin_chunk before it")
        }
        if let format, format != sample.formatDescription {
            throw NaluError(
                .conflict,
                "chunk \(chunk): the format description of the sample at \(text(sample.presentationTime)) differs from that of "
                    + "the samples before; expected chunks with the same properties, a fixed level in ProfileLevel, and "
                    + "MoreFramesBeforeStart or MoreFramesAfterEnd")
        }
        if let first {
            guard sample.presentationTime >= first else {
                throw NaluError(
                    .invalidTime,
                    "chunk \(chunk): a sample has the presentation time \(text(sample.presentationTime)); expected "
                        + "\(text(first)) or later, since the chunk begins there")
            }
        } else {
            try checkBeginning(sample)
        }
        let first = first ?? sample.presentationTime
        let (decodeTime, hasMoved) = try decodeTime(of: sample, first: first)
        let size = unsafe sample.data.count
        for window in windows { try check(window, bytes: size, at: decodeTime.seconds) }

        // From here on the sample is accepted, so the state can change.
        self.first = first
        format = format ?? sample.formatDescription
        movesTimes = movesTimes || hasMoved
        lastDecodeTime = (sample.decodeTime, decodeTime)
        newest = ChunkEnd(newest, sample)
        for index in windows.indices { windows[index].append(size, at: decodeTime.seconds, of: chunk) }
        return hasMoved ? Sample(sample, decodeTime: decodeTime) : sample
    }

    private func checkBeginning(_ sample: Sample) throws(NaluError) {
        guard sample.isKeyFrame else {
            throw NaluError(
                .badData,
                "chunk \(chunk) begins with a sample that is not a key frame, at \(text(sample.presentationTime)); expected all "
                    + "samples of a session from its first one on")
        }
        guard let end else { return }
        let time = sample.presentationTime
        let (isEarly, isLate) = end.misses(time)
        guard isEarly || isLate && !allowsGaps else { return }
        throw NaluError(
            .invalidTime,
            "chunk \(chunk) begins at \(text(time)), \(isEarly ? "earlier" : "later") than chunk \(chunk - 1) ends; expected "
                + "\(text(end.time))" + (isEarly ? "" : ": frames are missing, unless gaps are allowed"))
    }

    /// Returns the sample's own decode time. If the chunk's decode times overlap with those of the previous chunk,
    /// returns a time between the last decode time and the beginning of the chunk.
    private func decodeTime(of sample: Sample, first: MediaTime) throws(NaluError) -> (MediaTime, hasMoved: Bool) {
        let own = sample.decodeTime
        guard let (given, last) = lastDecodeTime else { return (own, false) }
        let beginsChunk = self.first == nil
        guard beginsChunk || own > given else {
            throw NaluError(
                .invalidTime,
                "chunk \(chunk): the decode time of a sample is \(text(own)); expected one after \(text(given)), that of the "
                    + "previous sample")
        }
        let moves = beginsChunk ? own <= last : movesTimes && own < first
        guard moves else { return (own, false) }
        // Half of the remaining time, because the number of samples still to be moved is not known.
        var way = first - last
        if way.value < 256, way.timescale <= .max / 2 { way.timescale *= 2 } else { way.value /= 2 }
        let time = last + way
        guard time > last, time < first else {
            throw NaluError(
                .invalidTime,
                "chunk \(chunk) begins at \(text(first)); expected a time with room for decode times between it and "
                    + "\(text(last)), the last decode time before")
        }
        return (time, true)
    }

    /// Checks the window that ends with a sample of `bytes` bytes at decode time `time`.
    private mutating func check(_ window: RateWindow, bytes: Int, at time: Double) throws(NaluError) {
        let (first, held) = window.before(time)
        let limit = window.limit
        guard Double(held + bytes) > limit.bytes else { return }
        let seams = (first?.chunk ?? chunk)..<chunk
        seamsOverLimits.formUnion(seams.lazy.map { $0 + 1 })
        if seams.isEmpty || !allowsSeamsOverLimits {
            throw NaluError(
                .outOfRange,
                "chunk \(chunk): the \(limit.seconds) s from decode time \(text(first?.time ?? time)) on would hold "
                    + "\(held + bytes) bytes; expected at most \(limit.bytes) (DataRateLimits)")
        }
    }
}

/// The samples in the window of a limit that ends with the newest sample. The sum of their sizes is kept, so that the
/// time for each sample does not depend on their number.
private struct RateWindow {
    let limit: DataRateLimit
    private var samples = RingBuffer<(time: Double, bytes: Int, chunk: Int)>(capacity: 64)
    /// The sum of the samples' sizes.
    private var bytes = 0

    init(_ limit: DataRateLimit) {
        self.limit = limit
    }

    /// Returns the time and the chunk of the first sample in the window that ends with a sample at `time`, and the
    /// window's bytes without the latter. Nil if the window has no other sample.
    func before(_ time: Double) -> (first: (time: Double, chunk: Int)?, bytes: Int) {
        if hasClockBegunAgain(at: time) { return (nil, 0) }
        var held = bytes
        var index = 0
        while let sample = samples[index], !limit.reaches(from: sample.time, to: time) {
            held -= sample.bytes
            index += 1
        }
        return (samples[index].map { ($0.time, $0.chunk) }, held)
    }

    mutating func append(_ size: Int, at time: Double, of chunk: Int) {
        let beginsAgain = hasClockBegunAgain(at: time)
        while let first = samples[0], beginsAgain || !limit.reaches(from: first.time, to: time) {
            bytes -= first.bytes
            _ = samples.popFirst()
        }
        samples.append((time, size, chunk))
        bytes += size
    }

    /// Decode times increase within an epoch. A smaller time therefore begins another epoch, whose windows contain no
    /// earlier samples.
    private func hasClockBegunAgain(at time: Double) -> Bool {
        samples[samples.count - 1].map { $0.time > time } ?? false
    }
}

private func text(_ time: MediaTime) -> String { text(time.seconds) }

private func text(_ seconds: Double) -> String { "\((seconds * 1000).rounded() / 1000) s" }

/// The end of a run of samples, in presentation order.
struct ChunkEnd {
    private let last: MediaTime
    private let duration: MediaTime?
    /// The time between the last two presentation times.
    private let interval: MediaTime?

    init(_ before: ChunkEnd?, _ sample: Sample) {
        let time = sample.presentationTime
        let duration = sample.duration.isNumeric && sample.duration.value > 0 ? sample.duration : nil
        guard let before else {
            (last, self.duration, interval) = (time, duration, nil)
            return
        }
        if time > before.last {
            (last, self.duration, interval) = (time, duration, time - before.last)
        } else {
            (last, self.duration) = (before.last, before.duration)
            interval = before.interval.map { min($0, before.last - time) }
        }
    }

    var time: MediaTime { last + (duration ?? interval ?? .zero) }

    /// Returns whether a chunk that begins at `beginning` begins too early or too late.
    func misses(_ beginning: MediaTime) -> (isEarly: Bool, isLate: Bool) {
        let isBefore = beginning <= last
        guard (beginning - last).isNumeric else { return (isBefore, !isBefore) }
        if let duration {
            let late = beginning - time
            let early = time - beginning
            return (isBefore || early + early > duration, late + late > duration)
        }
        return (isBefore, interval.map { beginning - last >= $0 + $0 } ?? false)
    }
}
