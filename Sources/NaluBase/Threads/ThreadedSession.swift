/// What of a session's state its end needs.
package protocol ThreadedSessionState {
    var isInvalid: Bool { get }
    /// The session has a thread, or had one.
    var hasWorker: Bool { get }
    /// That thread has made its last call.
    var workerIsDone: Bool { get }

    /// From now on ``isInvalid``.
    mutating func invalidate()
}

/// The client's side of a session that calls the client from a thread of its own: what waits for that thread, and how the
/// session ends.
package protocol ThreadedSession: Sendable {
    associatedtype State: ThreadedSessionState

    var monitor: Monitor<State> { get }
    /// For ``WorkerThread`` and ``CallbackWaits``.
    var identity: UInt { get }

    /// ``CallbackWaits/begin(for:)`` of the library that knows all sessions.
    static func beginWait(for session: UInt) -> Bool
    static func endWait()
    /// After the last callback: forgets the handler and notifies the client. Outside the lock, because both are its own.
    static func letGo(_ monitor: Monitor<State>)
}

extension ThreadedSession {
    /// From the session's own callback, while the session is not invalid.
    package func refuseInCallback(_ function: String) throws(NaluError) {
        guard WorkerThread.currentSession == identity, try !monitor.locked({ $0.isInvalid }) else { return }
        throw NaluError(
            .reentrant, "\(function) was called from the session's callback, and would wait for that callback")
    }

    /// Runs `wait`, which waits for the session's thread.
    package func awaitWorker<Result>(_ wait: () throws(NaluError) -> Result) throws(NaluError) -> Result {
        guard Self.beginWait(for: identity) else { throw Self.circleError }
        defer { Self.endWait() }
        return try wait()
    }

    /// Ends the session. `isRelease`: the handle goes away, also inside the callback, where nobody waits.
    ///
    /// - Parameter function: what sentences call this.
    package func invalidate(isRelease: Bool, as function: String) throws(NaluError) {
        // In a child of a fork there is nothing to end.
        if monitor.isOfParent { return }
        if !isRelease { try refuseInCallback(function) }
        if WorkerThread.currentSession == identity { return try end(waits: false) }
        let mayWait = Self.beginWait(for: identity)
        defer { if mayWait { Self.endWait() } }
        guard mayWait || isRelease else { throw Self.circleError }
        try end(waits: mayWait)
    }

    private func end(waits: Bool) throws(NaluError) {
        let next = try monitor.locked { state throws(NaluError) -> EndStep in
            if state.isInvalid { return waits && state.hasWorker ? .wait : .done }
            state.invalidate()
            monitor.wake(.work)
            monitor.wake(.room)
            monitor.wake(.progress)
            if !state.hasWorker { return .finishHere }
            return waits ? .wait : .done
        }
        switch next {
        case .done: break
        case .finishHere: Self.letGo(monitor)
        case .wait:
            try monitor.wait(for: .progress) { $0.workerIsDone ? () : nil }
        }
    }

    package static var circleError: NaluError {
        NaluError(
            .wouldBlock,
            "the call would wait, inside a callback, for another session; try again outside it, or allow the callback to wait, which it may unless that session waits for it"
        )
    }

    package static var invalidError: NaluError {
        NaluError(.invalidSession, "the session has been invalidated; create another one")
    }
}

/// What is left to do when a session has become invalid.
private enum EndStep {
    case done, wait, finishHere
}
