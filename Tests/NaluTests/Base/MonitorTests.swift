import Testing

@testable import Nalu

/// A lock with conditions to wait for.
@Suite struct MonitorTests {
    @Test func oneThreadAtATimeIsInside() throws {
        let monitor = Monitor(0)
        let threads = (0..<4).map { _ in
            TestThread {
                for _ in 0..<5000 { try? monitor.locked { $0 += 1 } }
            }
        }
        #expect(threads.allSatisfy { $0.join() })
        #expect(try monitor.locked { $0 } == 20_000)
    }

    @Test func aThrownErrorLeavesTheLockFree() throws {
        let monitor = Monitor(1)
        let error = NaluError(.conflict, "on purpose")
        #expect(throws: error) { try monitor.locked { _ throws(NaluError) in throw error } }
        #expect(throws: error) {
            try monitor.wait(for: .work) { _ throws(NaluError) -> Int? in throw error }
        }
        #expect(try monitor.locked { $0 } == 1)
    }

    @Test func aWaiterContinuesWhenItsConditionHolds() throws {
        for condition in MonitorCondition.allCases {
            let monitor = Monitor(0)
            let waiters = (1...3).map { goal in
                TestThread { try? monitor.wait(for: condition) { $0 >= goal ? () : nil } }
            }
            for value in 1...3 {
                TestThread.sleep(milliseconds: 1)
                #expect(waiters[value - 1].isRunning)
                try monitor.locked {
                    $0 = value
                    monitor.wake(condition)
                }
                #expect(waiters[value - 1].join())
            }
        }
    }

    @Test func aConditionThatHoldsAlreadyIsNotWaitedFor() throws {
        let monitor = Monitor("ready")
        #expect(try monitor.wait(for: .room) { $0.count } == 5)
    }

    /// Two threads alternately increase a number.
    @Test func noWakeIsLost() throws {
        let monitor = Monitor(0)
        let rounds = 2000
        let threads = [0, 1].map { parity in
            TestThread {
                for _ in 0..<rounds {
                    try? monitor.wait(for: parity == 0 ? .work : .progress) { value -> Void? in
                        guard value % 2 == parity else { return nil }
                        value += 1
                        monitor.wake(parity == 0 ? .progress : .work)
                        return ()
                    }
                }
            }
        }
        #expect(threads.allSatisfy { $0.join() })
        #expect(try monitor.locked { $0 } == 2 * rounds)
    }
}
