/// The call that a timebase makes after each change, and the wait for its end.
final class TimebaseObserver: Sendable {
    private struct State {
        var isEnded = false
        /// The calls that are running.
        var calls = 0
    }

    private let body: @Sendable () -> Void
    private let state = Guarded(State())
    /// In each thread, the number of the observer whose body runs there; 0 outside of observers.
    private static let running = ThreadMark()

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    private var identity: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

    func call() {
        let isCalled = state.withLock { state in
            if state.isEnded { return false }
            state.calls += 1
            return true
        }
        guard isCalled else { return }
        let outer = Self.running.value
        Self.running.value = identity
        body()
        Self.running.value = outer
        state.change { $0.calls -= 1 }
    }

    /// Forbids further calls, and waits for those in other threads. In the body itself, nothing waits.
    func end() {
        state.withLock { $0.isEnded = true }
        if Self.running.value == identity { return }
        state.wait { $0.calls == 0 ? () : nil }
    }
}
