package import Nalu
package import NaluBase

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
