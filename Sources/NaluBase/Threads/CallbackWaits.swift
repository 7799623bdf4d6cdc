/// Which session waits, inside its callback, for which other session.
///
/// Two sessions whose callbacks wait for each other would wait for ever, and so would a longer circle: the wait that
/// would close it is refused. Threads that are no session's keep nobody waiting.
package enum CallbackWaits {
    private static let awaited = Monitor([UInt: UInt]())

    /// Before a wait for the thread of `session`. False: that session waits for the callback that the caller is in,
    /// itself or by others. After true comes ``end()``.
    package static func begin(for session: UInt) -> Bool {
        // What a session refuses in its own callback, it knows itself.
        guard let caller = WorkerThread.currentSession, caller != session else { return true }
        let isBegun = try? awaited.locked { awaited in
            var next: UInt? = session
            while let reached = next {
                if reached == caller { return false }
                next = awaited[reached]
            }
            awaited[caller] = session
            return true
        }
        // In a child of a fork, where the lock is its parent's.
        return isBegun ?? true
    }

    package static func end() {
        guard let caller = WorkerThread.currentSession else { return }
        try? awaited.locked { $0[caller] = nil }
    }

    /// Runs `wait`, which waits for the thread of `session`; nil where ``begin(for:)`` refuses.
    package static func wait<Result>(
        for session: UInt, _ wait: () throws(NaluError) -> Result
    ) throws(NaluError) -> Result? {
        guard begin(for: session) else { return nil }
        defer { end() }
        return try wait()
    }
}
