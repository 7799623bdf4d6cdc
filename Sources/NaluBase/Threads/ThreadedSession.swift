private import Synchronization

/// The state of a session that its end depends on.
package protocol ThreadedSessionState {
    var isInvalid: Bool { get }
    /// Whether the session has or had a thread.
    var hasWorker: Bool { get }
    /// Whether the session's thread has made its last call.
    var workerIsDone: Bool { get }

    /// Marks the session invalid. Later calls fail with `invalidSession`.
    mutating func invalidate()
}

/// The references of a client that counts references to a session.
package struct ClientReferences: ~Copyable {
    private let count = Atomic<Int>(1)

    package init() {}

    package func retain() {
        count.wrappingAdd(1, ordering: .relaxed)
    }

    /// Returns true for the last reference. It must end the session, even while a call in another thread, for example
    /// inside the handler, retains the object. In that case deinit would run too late to wait.
    package func release() -> Bool {
        count.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
}

/// The client's side of a session that calls the client from its own thread: waiting for that thread, and ending the
/// session.
package protocol ThreadedSession: Sendable {
    associatedtype State: ThreadedSessionState

    var monitor: Monitor<State> { get }
    /// The session's number for ``WorkerThread`` and ``CallbackWaits``.
    var identity: UInt { get }

    /// Forgets the handler and notifies the client, after the last callback. Called outside the lock, because both
    /// belong to the client.
    static func releaseHandler(_ monitor: Monitor<State>)
}

extension ThreadedSession {
    /// Throws `.reentrant` in the session's own callback, unless the session is invalid.
    package func refuseInCallback(_ function: String) throws(NaluError) {
        guard WorkerThread.currentSession == identity, try !monitor.locked({ $0.isInvalid }) else { return }
        throw NaluError(
            .reentrant, "\(function) was called from the session's callback, and would wait for that callback to return"
        )
    }

    /// Runs `wait`, which waits for the session's thread. Throws `.wouldBlock` if ``CallbackWaits/begin(for:)`` refuses the wait.
    package func awaitWorker<Result>(_ wait: () throws(NaluError) -> Result) throws(NaluError) -> Result {
        guard CallbackWaits.begin(for: identity) else { throw CallbackWaits.refusal }
        defer { CallbackWaits.end() }
        return try wait()
    }

    /// Ends the session. `isRelease` is true if the handle is being released. A release is allowed inside the session's
    /// callback, and does not wait there.
    ///
    /// - Parameter function: the name of the calling function in error messages.
    package func invalidate(isRelease: Bool, as function: String) throws(NaluError) {
        // A child of a fork has nothing to end.
        if monitor.isOfParent { return }
        if !isRelease { try refuseInCallback(function) }
        if WorkerThread.currentSession == identity { return try end(waits: false) }
        let mayWait = CallbackWaits.begin(for: identity)
        defer { if mayWait { CallbackWaits.end() } }
        guard mayWait || isRelease else { throw CallbackWaits.refusal }
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
        case .finishHere: Self.releaseHandler(monitor)
        case .wait:
            try monitor.wait(for: .progress) { $0.workerIsDone ? () : nil }
        }
    }

    package static var invalidError: NaluError {
        NaluError(.invalidSession, "the session has been invalidated; create another one")
    }
}

/// The step that remains after a session has become invalid.
private enum EndStep {
    case done, wait, finishHere
}
