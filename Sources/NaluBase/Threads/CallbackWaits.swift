/// Which session waits, inside its callback, for which other session.
///
/// Two sessions whose callbacks wait for each other would wait for ever, and so would a longer circle. Waits inside
/// callbacks are therefore refused, unless the client has allowed them; then the wait that would close a circle is.
/// Threads that are no session's keep nobody waiting.
package enum CallbackWaits {
    /// By the session that waits: those of which one has to go on for the wait to end.
    private static let awaited = Monitor([UInt: [UInt]]())

    /// In the thread of a session: set where its callbacks may wait for other sessions.
    private static let permission = ThreadMark()

    /// For the callbacks of the session whose thread the caller is.
    package static func allow(_ allowed: Bool) {
        guard WorkerThread.currentSession != nil else { return }
        permission.value = allowed ? 1 : 0
    }

    /// Before a wait for the thread of `session`. False: the caller is in a callback that may not wait, or for which that
    /// session waits, itself or by others. After true comes ``end()``.
    package static func begin(for session: UInt) -> Bool {
        // What a session refuses in its own callback, it knows itself.
        guard let caller = WorkerThread.currentSession, caller != session else { return true }
        return begin(forAnyOf: [session])
    }

    /// Before a wait that any of these sessions can end. False: the caller is in a callback that may not wait, or in one of
    /// the only session, or all of them wait for that callback. After true comes ``end()``.
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
        // In a child of a fork, where the lock is its parent's.
        return isBegun ?? true
    }

    /// Whether a session waits for those that were seen, whoever of them goes on.
    private static func leadsBack(_ session: UInt, _ awaited: [UInt: [UInt]], _ seen: inout Set<UInt>) -> Bool {
        if !seen.insert(session).inserted { return true }
        return awaited[session]?.allSatisfy { leadsBack($0, awaited, &seen) } ?? false
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
