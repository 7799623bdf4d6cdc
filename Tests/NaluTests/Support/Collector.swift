@testable import Nalu

/// Keeps what a session's handler received.
final class Collector: Sendable {
    /// One call of the handler.
    struct Call: Sendable {
        /// The number that the frame was given as its refcon.
        let frame: Int
        let status: Status
        let flags: EncodeInfoFlags
        let sample: Sample?
        /// Calls that were running when this one began.
        let overlapping: Int
        /// The session had finished before.
        let isLate: Bool
    }

    private struct State {
        var calls: [Call] = []
        var running = 0
        var finishes = 0
    }

    private let state = Guarded(State())
    /// While it waits here, a call has begun and not returned.
    let gate: Gate?
    private let milliseconds: Double

    init(gate: Gate? = nil, milliseconds: Double = 0) {
        self.gate = gate
        self.milliseconds = milliseconds
    }

    var calls: [Call] { state.withLock { $0.calls } }
    var frames: [Int] { calls.map { $0.frame } }
    var samples: [Sample] { calls.compactMap { $0.sample } }
    var finishes: Int { state.withLock { $0.finishes } }
    var isRunning: Bool { state.withLock { $0.running > 0 } }

    /// Counts the call when it is about to return.
    func receive(_ frame: EncodedFrame) {
        let (running, isLate) = state.withLock { state in
            state.running += 1
            return (state.running - 1, state.finishes > 0)
        }
        gate?.pass()
        if milliseconds > 0 { TestThread.sleep(milliseconds: milliseconds) }
        let call = Call(
            frame: frame.number, status: frame.status, flags: frame.flags, sample: frame.sample, overlapping: running,
            isLate: isLate)
        state.withLock { state in
            state.running -= 1
            state.calls.append(call)
        }
    }

    func finish() {
        state.withLock { $0.finishes += 1 }
    }

    /// Lets the samples go.
    func forget() {
        let calls = state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
        _ = calls
    }
}

extension EncodedFrame {
    /// The number that the frame was given as its refcon; -1 for none.
    var number: Int { Int(bitPattern: frameRefcon) - 1 }
}

/// A refcon that is a number, 0 or more.
func refcon(_ number: Int) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: number + 1)
}
