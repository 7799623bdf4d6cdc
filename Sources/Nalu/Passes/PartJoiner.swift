/// Joins the samples of a clip that several sessions encoded in parts: checks that they are one stream, and gives each sample
/// the decode time that it has in that stream.
///
///     let joiner = try PartJoiner()
///     for part in parts {
///         try joiner.beginPart()
///         for sample in part { write(try joiner.add(sample)) }
///     }
///
/// Any thread may use it. The corresponding C type is `nalu_part_joiner`; docs/segments.md says how parts are encoded.
public final class PartJoiner: Sendable {
    private let state: Guarded<JoinedStream>

    /// - Parameters:
    ///   - dataRateLimits: the value of ``PropertyKey/dataRateLimits`` that holds for the whole clip.
    ///   - allowsGaps: parts may begin later than the last frame of the part before ends.
    /// - Throws: ``Status/outOfRange`` for numbers that are no such value.
    public init(dataRateLimits: [Double] = [], allowsGaps: Bool = false) throws(NaluError) {
        let limits = try DataRateLimits(numbers: dataRateLimits) { found, expected in
            NaluError(.outOfRange, "limits is \(found); expected \(expected)")
        }
        state = Guarded(JoinedStream(limits: limits, allowsGaps: allowsGaps))
    }

    /// Begins the next part. The samples that follow are those of one session, from its first one on.
    ///
    /// - Throws: ``Status/outOfOrder`` if the part before has no samples.
    public func beginPart() throws(NaluError) {
        try state.withLock { (stream) throws(NaluError) in try stream.beginPart() }
    }

    /// Adds a sample to the stream, if it fits. One that is refused changes nothing. Samples come in decode order.
    ///
    /// - Returns: the sample itself, or the same one at another decode time, where those of the part would not continue the
    ///   decode times of the part before.
    /// - Throws: ``Status/outOfOrder`` before the first part; ``Status/conflict`` if the format description is another one;
    ///   ``Status/badData`` if a part does not begin with a key frame; ``Status/invalidTime`` if times do not continue;
    ///   ``Status/outOfRange`` if a window of the limits would hold too many bytes.
    public func add(_ sample: Sample) throws(NaluError) -> Sample {
        try state.withLock { (stream) throws(NaluError) in try stream.add(sample) }
    }
}

/// What a joiner remembers of the samples so far.
private struct JoinedStream {
    let limits: DataRateLimits
    let allowsGaps: Bool

    private var format: FormatDescription?
    /// Of the part underway, from 0.
    private var part = -1
    /// Of the part underway; nil: it has no samples yet.
    private var first: MediaTime?
    /// Of the part before.
    private var end: PartEnd?
    /// Where all samples so far end in presentation order.
    private var newest: PartEnd?
    /// As the sample came, and as it was given back.
    private var lastDecodeTime: (given: MediaTime, joined: MediaTime)?
    /// How many decode times of the part underway have moved.
    private var moved = 0
    private var window = RingBuffer<(time: Double, bytes: Double)>(capacity: 64)

    init(limits: DataRateLimits, allowsGaps: Bool) {
        self.limits = limits
        self.allowsGaps = allowsGaps
    }

    mutating func beginPart() throws(NaluError) {
        guard part < 0 || first != nil else {
            throw NaluError(.outOfOrder, "begin_part: part \(part) has no samples; expected at least one")
        }
        part += 1
        first = nil
        end = newest
        moved = 0
    }

    mutating func add(_ sample: Sample) throws(NaluError) -> Sample {
        guard part >= 0 else {
            throw NaluError(.outOfOrder, "add: no part has begun; expected begin_part before it")
        }
        if let format, format != sample.formatDescription {
            throw NaluError(
                .conflict,
                "part \(part): the format description of the sample at \(text(sample.presentationTime)) differs from that of "
                    + "the samples before; expected parts with the same properties, a fixed level in ProfileLevel, and "
                    + "MoreFramesBeforeStart or MoreFramesAfterEnd")
        }
        if let first {
            guard sample.presentationTime >= first else {
                throw NaluError(
                    .invalidTime,
                    "part \(part): a sample has the presentation time \(text(sample.presentationTime)); expected "
                        + "\(text(first)) or later, since the part begins there")
            }
        } else {
            try checkBeginning(sample)
        }
        let first = first ?? sample.presentationTime
        let (decodeTime, hasMoved) = try decodeTime(of: sample, first: first)
        try checkWindows(bytes: unsafe sample.data.count, at: decodeTime)

        self.first = first
        format = format ?? sample.formatDescription
        if hasMoved { moved += 1 }
        lastDecodeTime = (sample.decodeTime, decodeTime)
        newest = PartEnd(newest, sample)
        if !limits.isEmpty { unsafe window.append((decodeTime.seconds, Double(sample.data.count))) }
        return hasMoved ? Sample(sample, decodeTime: decodeTime) : sample
    }

    private func checkBeginning(_ sample: Sample) throws(NaluError) {
        guard sample.isKeyFrame else {
            throw NaluError(
                .badData,
                "part \(part) begins with a sample that is no key frame, at \(text(sample.presentationTime)); expected all "
                    + "samples of a session from its first one on")
        }
        guard let end else { return }
        let time = sample.presentationTime
        let (isEarly, isLate) = end.misses(time)
        guard isEarly || isLate && !allowsGaps else { return }
        throw NaluError(
            .invalidTime,
            "part \(part) begins at \(text(time)), \(isEarly ? "earlier" : "later") than part \(part - 1) ends; expected "
                + "\(text(end.time))" + (isEarly ? "" : ": frames are missing, unless gaps are allowed"))
    }

    /// Its own decode time, or, while those of the part would not continue the ones before, one between the last one and the
    /// beginning of the part.
    private func decodeTime(of sample: Sample, first: MediaTime) throws(NaluError) -> (MediaTime, hasMoved: Bool) {
        let own = sample.decodeTime
        guard let (given, last) = lastDecodeTime else { return (own, false) }
        let beginsPart = self.first == nil
        guard beginsPart || own > given else {
            throw NaluError(
                .invalidTime,
                "part \(part): the decode time of a sample is \(text(own)); expected one after \(text(given)), that of the "
                    + "sample before")
        }
        let moves = beginsPart ? own <= last : moved > 0 && own < first
        guard moves else { return (own, false) }
        // Half of what is left, however many there are to move.
        var way = first - last
        if way.value < 256, way.timescale <= .max / 2 { way.timescale *= 2 } else { way.value /= 2 }
        let time = last + way
        guard time > last, time < first else {
            throw NaluError(
                .invalidTime,
                "part \(part) begins at \(text(first)); expected a time with room for decode times between it and "
                    + "\(text(last)), the last decode time before")
        }
        return (time, true)
    }

    /// Windows that end with a sample of so many bytes.
    private mutating func checkWindows(bytes: Int, at time: MediaTime) throws(NaluError) {
        let time = time.seconds
        func reaches(_ beginning: Double, _ limit: DataRateLimit) -> Bool {
            DataRateGuard.reaches(beginning, limit, time)
        }
        while let beginning = window[0]?.time, limits.allSatisfy({ !reaches(beginning, $0) }) { _ = window.popFirst() }
        for limit in limits.all {
            var sum = Double(bytes)
            var index = window.count - 1
            var beginning = time
            while let sample = window[index], reaches(sample.time, limit) {
                sum += sample.bytes
                beginning = sample.time
                index -= 1
            }
            guard sum <= limit.bytes else {
                throw NaluError(
                    .outOfRange,
                    "part \(part): the \(limit.seconds) s from decode time \(text(beginning)) on would hold \(Int(sum)) "
                        + "bytes; expected at most \(limit.bytes) (DataRateLimits)")
            }
        }
    }
}

/// Where samples end in presentation order.
private struct PartEnd {
    private let last: MediaTime
    private let duration: MediaTime?
    /// Between the last two presentation times.
    private let interval: MediaTime?

    init(_ before: PartEnd?, _ sample: Sample) {
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

    /// Does a part that begins there begin too early, or too late?
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

private func text(_ time: MediaTime) -> String { text(time.seconds) }

private func text(_ seconds: Double) -> String { "\((seconds * 1000).rounded() / 1000) s" }
