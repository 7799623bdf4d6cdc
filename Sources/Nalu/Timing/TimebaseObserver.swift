/// The call that a timebase makes after each change, and the wait for its end.
final class TimebaseObserver: Sendable {
    private struct State {
        var isEnded = false
        /// The calls that are running.
        var calls = 0
    }

    private let body: @Sendable () -> Void
    private let state = Guarded(State())
    private let birth: UInt32
    /// The number of observers whose bodies run in the calling thread, one inside the other.
    private static let depth = ThreadMark()

    init(_ body: @escaping @Sendable () -> Void) {
        ForkCount.watch()
        birth = ForkCount.current
        self.body = body
    }

    /// Whether the process is a child, by fork, of the process that created the observer. The parent's threads may have
    /// held the lock, and calls that were running there never return here.
    private var isOfParent: Bool { birth != ForkCount.current }

    func call() {
        if isOfParent { return }
        let isCalled = state.withLock { state in
            if state.isEnded { return false }
            state.calls += 1
            return true
        }
        guard isCalled else { return }
        Self.depth.value += 1
        body()
        Self.depth.value -= 1
        state.change { $0.calls -= 1 }
    }

    /// Forbids further calls, and waits for those in other threads. In the body of an observer it does not wait: that
    /// body may be the one to wait for, or two observers may end each other.
    func end() {
        if isOfParent { return }
        state.withLock { $0.isEnded = true }
        if Self.depth.value > 0 { return }
        state.wait { $0.calls == 0 ? () : nil }
    }
}
