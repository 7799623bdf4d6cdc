/// The waits of sessions, inside their callbacks, for other sessions.
///
/// Two sessions whose callbacks wait for each other would deadlock, and so would a longer cycle. Waits inside callbacks
/// are therefore refused unless the client has allowed them. If waits are allowed, only a wait that would complete a
/// deadlock is refused. Threads that belong to no session cannot be part of a deadlock.
package enum CallbackWaits {
    /// The sessions that each waiting session waits for. A wait ends when one of them makes progress.
    private static let awaited = Monitor([UInt: [UInt]]())

    /// Nonzero in the thread of a session whose callbacks may wait for other sessions.
    private static let permission = ThreadMark()

    /// Allows or forbids waits in the callbacks of the calling thread's session.
    package static func allow(_ allowed: Bool) {
        guard WorkerThread.currentSession != nil else { return }
        permission.value = allowed ? 1 : 0
    }

    /// Registers a wait for the thread of `session`. Returns false if the caller is in a callback that may not wait, or
    /// that `session` waits for, directly or through other sessions. After true, call ``end()``.
    package static func begin(for session: UInt) -> Bool {
        // Each session itself checks the calls from its own callback.
        guard let caller = WorkerThread.currentSession, caller != session else { return true }
        return begin(forAnyOf: [session])
    }

    /// Registers a wait that any of these sessions can end. Returns false in a callback that may not wait, in a
    /// callback of the only session, and in a callback that all sessions wait for. After true, call ``end()``.
    package static func begin(forAnyOf sessions: [UInt]) -> Bool {
        guard let caller = WorkerThread.currentSession else { return true }
        guard permission.value != 0 else { return false }
        if sessions.isEmpty { return true }
        let isBegun = try? awaited.locked { awaited in
            var seen: Set<UInt> = [caller]
            if sessions.allSatisfy({ leadsBack($0, awaited, &seen) }) { return false }
            awaited[caller] = sessions
            return true
        }
        // After fork the child must not touch this lock: the parent may hold it.
        return isBegun ?? true
    }

    /// Whether `session` cannot continue before one of the sessions in `seen` does.
    private static func leadsBack(_ session: UInt, _ awaited: [UInt: [UInt]], _ seen: inout Set<UInt>) -> Bool {
        if !seen.insert(session).inserted { return true }
        return awaited[session]?.allSatisfy { leadsBack($0, awaited, &seen) } ?? false
    }

    /// The error of a call whose wait ``begin(for:)`` refuses.
    package static var refusal: NaluError {
        NaluError(
            .wouldBlock,
            "the call would make a callback wait for another session, which can deadlock; call it outside the callback, or let the callback wait if that session never waits for it"
        )
    }

    package static func end() {
        guard let caller = WorkerThread.currentSession else { return }
        try? awaited.locked { $0[caller] = nil }
    }

    /// Runs `wait`, which waits for the thread of `session`. Returns nil if ``begin(for:)`` refuses the wait.
    package static func wait<Result>(
        for session: UInt, _ wait: () throws(NaluError) -> Result
    ) throws(NaluError) -> Result? {
        guard begin(for: session) else { return nil }
        defer { end() }
        return try wait()
    }
}
