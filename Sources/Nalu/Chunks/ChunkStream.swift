/// Joins the results of second passes into one stream.
package struct ChunkStream {
    /// More frames than any stream delays (ITU-T H.264 A.3.1: max_dec_frame_buffering).
    private static let deepest = 16

    private let allowsSeamsOverLimits: Bool
    private var joiner: ChunkJoiner?
    /// The numbers of the chunks with samples.
    private var joined: [Int] = []
    /// The last presentation times so far, in order.
    private var shown: [MediaTime] = []
    /// The number of chunks so far.
    package private(set) var count = 0
    package private(set) var frameCount = 0
    package private(set) var bits = 0

    /// - Parameter allowsSeamsOverLimits: a window that reaches into several chunks may exceed `DataRateLimits`.
    package init(allowsSeamsOverLimits: Bool = false) {
        self.allowsSeamsOverLimits = allowsSeamsOverLimits
    }

    /// The chunks at seams in windows that exceed `DataRateLimits`, in ascending order. Encode them again with
    /// ``PropertyKey/limitsOverSeams``.
    package var numbersAtSeamsOverLimits: [Int] {
        Set((joiner?.seamsOverLimits ?? []).flatMap { [joined[$0 - 1], joined[$0]] }).sorted()
    }

    /// Returns the samples of the next chunk, with their decode times in the whole stream.
    ///
    /// - Throws: `.parameter` for another chunk than the next one; `.badData`; the errors of ``ChunkJoiner``.
    package mutating func samples(of chunk: ChunkResult) throws(NaluError) -> [Sample] {
        guard chunk.stage == .secondPass, chunk.number == count else {
            throw NaluError(
                .parameter,
                "chunk \(chunk.number) was passed, and chunk \(count) is expected; pass all chunks, in order")
        }
        count += 1
        // A frame that is presented for longer than a chunk.
        if chunk.frameCount == 0, chunk.data.isEmpty { return [] }
        // A video itself can have gaps between frames.
        if joiner == nil {
            joiner = try ChunkJoiner(
                dataRateLimits: chunk.limits, allowsGaps: true, allowsSeamsOverLimits: allowsSeamsOverLimits)
        }
        guard let joiner else { return [] }
        try joiner.beginChunk()
        joined.append(chunk.number)
        let packed = try ChunkSamples.samples(of: chunk.data)
        guard packed.count == chunk.frameCount, let first = packed.map(\.presentationTime).min() else {
            throw NaluError(.badData, "chunk \(chunk.number) has \(packed.count) samples; expected \(chunk.frameCount)")
        }
        // A single session gives the n-th sample the n-th presentation time, some frames earlier. The frames before
        // this chunk can have other distances than those in it.
        let early = shown.isEmpty ? 0 : packed.count { $0.decodeTime < first }
        let before = Array(shown.suffix(early))
        let isKnown = before.count == early && before.last.map { $0 < first } != false
        var samples: [Sample] = []
        for (index, sample) in packed.enumerated() {
            let moved =
                try isKnown && index < early
                ? Sample(
                    sample, formatDescription: sample.formatDescription, decodeTime: before[index],
                    attachments: sample.attachments) : sample
            samples.append(try joiner.add(moved))
        }
        shown = Array((shown + packed.map(\.presentationTime).sorted()).suffix(Self.deepest))
        frameCount += chunk.frameCount
        bits &+= chunk.bits
        return samples
    }
}

/// The stream of ``ChunkStream`` for callers that ask for one sample at a time. The corresponding C type is
/// `nalu_chunk_stream`.
package final class ChunkStreamReader: Sendable {
    private struct State {
        var stream: ChunkStream
        /// The samples that have not been returned; the last element is next.
        var samples: [Sample] = []
    }

    private let state: Guarded<State>

    package init(allowsSeamsOverLimits: Bool = false) {
        state = Guarded(State(stream: ChunkStream(allowsSeamsOverLimits: allowsSeamsOverLimits)))
    }

    /// See ``ChunkStream/numbersAtSeamsOverLimits``.
    package var numbersAtSeamsOverLimits: [Int] { state.withLock { $0.stream.numbersAtSeamsOverLimits } }

    /// Adds the next chunk.
    package func add(_ chunk: ChunkResult) throws(NaluError) {
        try state.withLock { (state) throws(NaluError) in
            let samples = try state.stream.samples(of: chunk)
            state.samples.insert(contentsOf: samples.reversed(), at: 0)
        }
    }

    /// Returns the next sample of the chunks so far.
    package func next() throws(NaluError) -> Sample {
        guard let sample = state.withLock({ $0.samples.popLast() }) else {
            throw NaluError(.valueNotAvailable, "all samples of the chunks so far have been returned")
        }
        return sample
    }
}
