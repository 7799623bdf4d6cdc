@testable import Nalu

/// Keeps the results that a session's handler receives.
final class Collector: Sendable {
    /// A call of the handler.
    struct Call: Sendable {
        /// The number in the frame's refcon.
        let frame: Int
        let status: Status
        let flags: EncodeInfoFlags
        let sample: Sample?
        /// The number of calls that were running when this one began.
        let overlapping: Int
        /// True if the session had already finished.
        let isLate: Bool
    }

    private struct State {
        var calls: [Call] = []
        var running = 0
        var finishes = 0
    }

    private let state = Guarded(State())
    /// A gate at which calls wait: a waiting call has begun and not returned.
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

    /// Records a call, just before it returns.
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

    /// Releases the samples.
    func forget() {
        let calls = state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
        _ = calls
    }
}

extension EncodedFrame {
    /// The number in the frame's refcon; -1 without a refcon.
    var number: Int { Int(bitPattern: frameRefcon) - 1 }
}

/// Returns a refcon that contains a number of at least 0.
func refcon(_ number: Int) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: number + 1)
}
