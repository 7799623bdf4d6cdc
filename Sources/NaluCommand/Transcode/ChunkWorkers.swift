internal import Nalu
private import NaluBase
internal import NaluMedia

/// Threads that encode chunks.
final class ChunkWorkers: Sendable {
    /// A function that encodes the chunk with this number. It passes the completed share of the chunk, from 0 to 1, to
    /// the closure, and ends if that returns false.
    typealias Work =
        @Sendable (_ number: Int, _ progress: @escaping @Sendable (Double) -> Bool) throws(NaluError) -> Void

    private struct State {
        /// The chunks that no thread has taken; the last element is next.
        var waiting: [Int] = []
        /// The completed shares of the chunks in progress.
        var shares: [Int: Double] = [:]
        /// The seconds of video in finished chunks.
        var finished = 0.0
        var threads = 0
        var failure: NaluError?
    }

    private let count: Int
    private let chunks: [Chunk]

    init(_ count: Int, for chunks: [Chunk]) {
        self.count = count
        self.chunks = chunks
    }

    /// Encodes chunks, and returns when all threads have ended. Throws the first failure. A signal ends the work after
    /// the next frames.
    ///
    /// - Parameters:
    ///   - numbers: the chunks that are not finished yet.
    ///   - progress: receives the completed share of all chunks, from 0 to 1.
    func run(_ numbers: [Int], progress: @escaping @Sendable (Double) -> Void, _ work: @escaping Work) throws {
        let all = chunks.reduce(0) { $0 + $1.seconds }
        let state = Guarded(State())
        let chunks = chunks
        state.change { state in
            state.waiting = numbers.reversed()
            state.finished = all - numbers.reduce(0) { $0 + chunks[$1].seconds }
        }
        @Sendable func report(_ state: State) {
            let running = state.shares.reduce(0) { $0 + chunks[$1.key].seconds * $1.value }
            progress(all > 0 ? (state.finished + running) / all : 1)
        }
        state.withLock { report($0) }
        for _ in 0..<min(count, numbers.count) {
            state.change { $0.threads += 1 }
            do {
                try WorkerThread.start {
                    while let number = state.change({ state in Self.next(&state) }) {
                        do throws(NaluError) {
                            try work(number) { share in
                                state.change { state in
                                    state.shares[number] = share
                                    report(state)
                                    return state.failure == nil && Interruption.signal == nil
                                }
                            }
                            state.change { state in
                                state.shares[number] = nil
                                state.finished += chunks[number].seconds
                                report(state)
                            }
                        } catch {
                            let failure = NaluError(error.status, "\(chunks[number].text): \(error.message)")
                            state.change { state in
                                state.shares[number] = nil
                                if error.status != .cancelled { state.failure = state.failure ?? failure }
                            }
                        }
                    }
                    state.change { $0.threads -= 1 }
                }
            } catch {
                state.change { state in
                    state.threads -= 1
                    state.failure = state.failure ?? error
                }
            }
        }
        state.wait { $0.threads == 0 ? () : nil }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private static func next(_ state: inout State) -> Int? {
        state.failure == nil && Interruption.signal == nil ? state.waiting.popLast() : nil
    }
}
