/// The memory blocks of a pool. The pool's buffers retain the store, so that they can outlive the pool.
final class PixelMemoryStore: Sendable {
    private struct State {
        var free: [PixelMemory] = []
        var lent = 0
        var isClosed = false
    }

    private let byteCount: Int
    private let limit: Int
    private let state: Guarded<State>

    /// - Parameter limit: the most blocks in use at a time; 0 for no limit.
    init(byteCount: Int, limit: Int) {
        self.byteCount = byteCount
        self.limit = limit
        var state = State()
        state.free.reserveCapacity(limit)
        self.state = Guarded(state)
    }

    /// Returns a block. Throws `.wouldBlock` if the limit is reached, or `.allocationFailed`.
    func take() throws(NaluError) -> PixelMemory {
        let kept = try state.withLock { state throws(NaluError) in
            guard limit == 0 || state.lent < limit else {
                throw NaluError(
                    .wouldBlock,
                    "all \(limit) buffers that maximum_buffer_count allows are in use; release one, or try again later")
            }
            state.lent += 1
            return state.free.popLast()
        }
        if let kept { return kept }
        do {
            return try PixelMemory(byteCount: byteCount)
        } catch {
            state.withLock { $0.lent -= 1 }
            throw error
        }
    }

    func recycle(_ memory: PixelMemory) {
        let isKept = state.withLock { state in
            state.lent -= 1
            if !state.isClosed { state.free.append(memory) }
            return !state.isClosed
        }
        if !isKept { unsafe memory.release() }
    }

    /// Frees unused blocks now, and blocks in use when they are returned.
    func close() {
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.free = [] }
            return state.free
        }
        for memory in left { unsafe memory.release() }
    }
}
