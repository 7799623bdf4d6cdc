/// Finds the places where a video is cut.
struct ChunkCuts<Source: ChunkSource> {
    let source: Source
    let facts: ChunkFacts
    let cut: ChunkPlanOptions.Cut

    /// The durations of a chunk if the options state none, and the number of chunks of a short video.
    private static var shortest: MediaTime { MediaTime(value: 10, timescale: 1) }
    private static var longest: MediaTime { MediaTime(value: 60, timescale: 1) }
    private static var usualCount: Int { 16 }
    /// The frame rate if none is known, in frames per second.
    private static var highestFrameRate: Double { 1000 }

    private var end: MediaTime { facts.start + facts.duration }

    /// The approximate number of frames. No chunk is shorter than a frame.
    private var frameCount: Double {
        max(1, (facts.duration.seconds * (facts.frameRate?.perSecond ?? Self.highestFrameRate)).rounded())
    }

    /// Returns the times of the cuts; each is later than the one before.
    func places(_ options: ChunkPlanOptions) throws(NaluError) -> [MediaTime] {
        var places: [MediaTime] = []
        var last = facts.start
        let wanted = try distances(options)
        for (index, distance) in wanted.enumerated() {
            let before = index > 0 ? wanted[index - 1] : .zero
            let place = try place(near: facts.start + distance, room: (distance - before).times(1, over: 2))
            guard place > last, place < end else { continue }
            places.append(place)
            last = place
        }
        return places
    }

    /// Returns the distances from the start at which cuts are wanted.
    private func distances(_ options: ChunkPlanOptions) throws(NaluError) -> [MediaTime] {
        if let count = options.chunkCount { return equal(min(count, Int(min(frameCount, 1e9)))) }
        guard var length = options.chunkDuration else {
            let length = min(Self.longest, max(Self.shortest, facts.duration.times(1, over: Self.usualCount)))
            let count = (facts.duration.seconds / length.seconds).rounded(.toNearestOrEven)
            return equal(Int(min(max(1, count), Double(ChunkPlanOptions.mostChunks))))
        }
        length = max(length, facts.duration.times(1, over: Int(min(frameCount, 1e9))))
        // Half a chunk at the end belongs to the chunk before it.
        let count = max(1, (facts.duration.seconds / length.seconds).rounded(.toNearestOrEven))
        guard count <= Double(ChunkPlanOptions.mostChunks) else {
            throw NaluError(
                .outOfRange,
                "chunk_duration is \(options.chunkDuration?.seconds ?? 0), which makes \(Int(min(count, 1e15))) chunks; expected at most \(ChunkPlanOptions.mostChunks)"
            )
        }
        return (1..<max(1, Int(count))).map { length.times($0, over: 1) }
    }

    private func equal(_ count: Int) -> [MediaTime] {
        (1..<max(1, count)).map { facts.duration.times($0, over: count) }
    }

    /// Returns the cut for a wanted one.
    ///
    /// - Parameter room: how much earlier a key frame may be.
    private func place(near wanted: MediaTime, room: MediaTime) throws(NaluError) -> MediaTime {
        if cut == .scenes {
            let window = min(room.times(1, over: 2), MediaTime(value: 2, timescale: 1))
            if let change = try SceneChange.nearest(to: wanted, within: window, of: source, facts) { return change }
        }
        if cut != .equal, let entry = try source.entry(before: wanted), wanted - entry <= room { return entry }
        guard let rate = facts.frameRate else { return wanted }
        // The beginning of a frame.
        let count = ((wanted - facts.start).seconds * rate.perSecond).rounded(.toNearestOrEven)
        return facts.start + rate.duration(ofFrames: Int(min(max(count, 0), 1e15)))
    }
}

extension MediaTime {
    /// Returns the time multiplied by `factor / divisor`, two positive numbers up to 2^31. It is rounded if no timescale
    /// can express it.
    func times(_ factor: Int, over divisor: Int) -> MediaTime {
        guard isNumeric else { return self }
        var numerator = Int128(value) * Int128(factor)
        var denominator = Int128(timescale) * Int128(max(divisor, 1))
        var (a, b) = (numerator.magnitude, denominator.magnitude)
        while b != 0 { (a, b) = (b, a % b) }
        numerator /= Int128(max(a, 1))
        denominator /= Int128(max(a, 1))
        while denominator > Int128(Int32.max) || numerator.magnitude > UInt128(Int64.max) {
            guard denominator > 1 else { return numerator < 0 ? .negativeInfinity : .positiveInfinity }
            (numerator, denominator) = (numerator / 2, denominator / 2)
        }
        return MediaTime(value: Int64(numerator), timescale: Int32(denominator))
    }
}

/// Finds scene changes with an encoder, which puts key frames there.
enum SceneChange {
    /// The size of the pictures that are examined.
    private static let (width, height) = (160, 96)

    /// Returns the time of the scene change that is nearest to `time` and at most `window` away; nil if there is none.
    static func nearest(
        to time: MediaTime, within window: MediaTime, of source: some ChunkSource, _ facts: ChunkFacts
    ) throws(NaluError) -> MediaTime? {
        let samples = SampleCollector()
        let session = try makeSession(delivering: samples)
        defer { try? session.invalidate() }
        var first: MediaTime?
        try source.forEachFrame(from: max(.zero, time - window), to: time + window) { (frame) throws(NaluError) in
            first = first ?? frame.time
            try session.encode(frame)
        }
        guard let first else { return nil }
        try session.complete()
        func distance(_ other: MediaTime) -> MediaTime { other < time ? time - other : other - time }
        return try samples.samples(of: session).filter { $0.isKeyFrame && $0.presentationTime != first }
            .map(\.presentationTime).min { (distance($0), $0) < (distance($1), $1) }
    }
    /// Creates a session that makes a key frame at each scene change, and only there.
    ///
    /// Never inlined: Swift 6.3 with `-sanitize` aborts when another module specializes ``nearest(to:within:of:_:)`` and
    /// puts the session on the stack.
    @inline(never)
    private static func makeSession(delivering samples: SampleCollector) throws(NaluError) -> CompressionSession {
        let session = try CompressionSession(width: width, height: height, outputHandler: samples.take)
        try session.set([
            (.allowScaling, true), (.maxKeyFrameInterval, 100_000), (.quality, 0.3), (.x264Preset, "veryfast"),
            (.x264Params, "threads=1:min-keyint=1:bframes=0"),
        ])
        return session
    }
}
