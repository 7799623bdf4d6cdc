/// The frames of a video from one cut to the next, which a session encodes alone.
package struct Chunk: Sendable {
    package let settings: ChunkSettings
    /// The index of the chunk, from 0.
    package let number: Int
    /// The number of all chunks.
    package let count: Int
    /// The chunk has the frames presented at `begin` or later and before `end`. Nil: from the first frame, and to the
    /// last one.
    package let begin: MediaTime?
    package let end: MediaTime?
    /// The approximate duration.
    package let seconds: Double

    package init(
        settings: ChunkSettings, number: Int, count: Int, begin: MediaTime?, end: MediaTime?, seconds: Double
    ) {
        self.settings = settings
        self.number = number
        self.count = count
        self.begin = begin
        self.end = end
        self.seconds = seconds
    }

    var isFirst: Bool { number == 0 }
    var isLast: Bool { number == count - 1 }

    /// The chunk in an error message.
    package var text: String {
        "chunk \(number) of \(count), \(Self.text(seconds)) s from \(Self.text(begin?.seconds ?? 0)) s on"
    }

    private static func text(_ seconds: Double) -> String { "\((seconds * 1000).rounded() / 1000)" }
}

/// The options of a ``ChunkPlan``.
package struct ChunkPlanOptions: Sendable {
    /// The places where a video is cut.
    package enum Cut: Sendable {
        /// Cuts at key frames of the source, so that workers decode no frames of other chunks.
        case keyFrames
        /// Cuts at scene changes near equal distances.
        case scenes
        /// Cuts at equal distances.
        case equal
    }

    /// Bits per second of the whole video.
    package var bitRate: Int
    /// The number of chunks; nil for ``chunkDuration``. A video with too few places to cut gets fewer chunks.
    package var chunkCount: Int?
    /// The duration of a chunk; nil for 10 to 60 seconds.
    package var chunkDuration: MediaTime?
    package var cut = Cut.keyFrames
    /// The size to which frames are scaled; nil for the source's.
    package var size: (width: Int, height: Int)?
    /// Further properties of the sessions.
    package var properties: [PropertyText.Setting] = []

    package init(bitRate: Int) {
        self.bitRate = bitRate
    }

    /// More chunks than any run can use.
    static let mostChunks = 100_000

    func check() throws(NaluError) {
        guard (1...(1 << 40)).contains(bitRate) else {
            throw NaluError(.outOfRange, "bit_rate is \(bitRate); expected 1 or more")
        }
        if let chunkCount {
            guard chunkDuration == nil else {
                throw NaluError(.conflict, "chunk_count and chunk_duration are both set; expected one of them")
            }
            guard (1...Self.mostChunks).contains(chunkCount) else {
                throw NaluError(.outOfRange, "chunk_count is \(chunkCount); expected 1 to \(Self.mostChunks)")
            }
        }
        if let chunkDuration, !chunkDuration.isNumeric || chunkDuration <= .zero {
            throw NaluError(.invalidTime, "chunk_duration is \(chunkDuration); expected a time above 0")
        }
        if let size, min(size.width, size.height) < 1 {
            throw NaluError(.invalidSize, "size is \(size.width)x\(size.height); expected a width and a height above 0")
        }
    }
}

/// The chunks of a video. The same source and options result in the same plan.
package struct ChunkPlan: Sendable {
    package let chunks: [Chunk]

    package init(of source: some ChunkSource, _ options: ChunkPlanOptions) throws(NaluError) {
        try options.check()
        let facts = try source.facts()
        let settings = try ChunkSettings(facts, size: options.size, bitRate: options.bitRate, asked: options.properties)
        let cuts = try ChunkCuts(source: source, facts: facts, cut: options.cut).places(options)
        let begins = [nil] + cuts.map(Optional.some)
        let ends = cuts.map(Optional.some) + [nil]
        chunks = zip(begins, ends).enumerated().map { number, chunk in
            let (begin, end) = chunk
            let duration = (end ?? facts.start + facts.duration) - (begin ?? facts.start)
            return Chunk(
                settings: settings, number: number, count: begins.count, begin: begin, end: end,
                seconds: duration.seconds)
        }
    }
}
