import Testing

@testable import Nalu

/// Deadlock detection between the threads of sessions.
@Suite struct CallbackWaitsTests {
    /// Three numbers that no session has.
    private let sessions: [UInt] = [1, 2, 3]

    /// Registers a wait without really waiting. The wait stays registered after the thread has ended.
    private func begin(inThreadOf session: UInt, for awaited: UInt) -> Bool {
        let hasBegun = Guarded(false)
        let thread = TestThread {
            WorkerThread.setCurrentSession(session)
            CallbackWaits.allow(true)
            let result = CallbackWaits.begin(for: awaited)
            hasBegun.withLock { $0 = result }
        }
        #expect(thread.join())
        return hasBegun.withLock { $0 }
    }

    @Test func threadsOutsideSessionsMayAlwaysWait() {
        for session in sessions {
            #expect(CallbackWaits.begin(for: session))
            CallbackWaits.end()
        }
        CallbackWaits.end()
        #expect(begin(inThreadOf: 0, for: sessions[0]))
    }

    @Test func theWaitThatWouldCauseADeadlockIsRefused() {
        let sessions = sessions
        // Session 1 waits for 2, and 2 waits for 0.
        #expect(begin(inThreadOf: sessions[1], for: sessions[2]))
        let thread = TestThread {
            WorkerThread.setCurrentSession(sessions[0])
            #expect(!CallbackWaits.begin(for: sessions[1]), "a callback may not wait unless that is allowed")
            CallbackWaits.allow(true)
            #expect(CallbackWaits.begin(for: sessions[1]))
            CallbackWaits.end()
            #expect(begin(inThreadOf: sessions[2], for: sessions[0]))
            #expect(!CallbackWaits.begin(for: sessions[1]))
            #expect(!CallbackWaits.begin(for: sessions[2]))
            // A session refuses a wait for itself elsewhere.
            #expect(CallbackWaits.begin(for: sessions[0]))
            CallbackWaits.end()
            // Session 2 ends its wait.
            WorkerThread.setCurrentSession(sessions[2])
            CallbackWaits.end()
            WorkerThread.setCurrentSession(sessions[0])
            #expect(CallbackWaits.begin(for: sessions[1]))
            CallbackWaits.end()
            WorkerThread.setCurrentSession(sessions[1])
            CallbackWaits.end()
        }
        #expect(thread.join())
    }
}
