internal import FoundationEssentials
internal import NaluBase

/// One page: its queue, its acknowledgements and its limits.
final class Viewer: Sendable {
    /// The longest time in seconds to write one frame.
    static let writeLimit = 10.0
    /// The longest time in seconds without a frame from the viewer. Browsers answer a ping at once.
    static let silenceLimit = 30.0

    private struct State: Sendable {
        var queue = ViewerQueue()
        var acknowledged = AcknowledgedFrames()
        /// The task that waits for the next frame.
        var waiting: CheckedContinuation<Data?, Never>?
        var isClosed = false
        /// The close frame, which is sent last.
        var farewell: Data?
        /// The host time at which the frame that is being written was taken from the queue; nil between frames.
        var writeStart: Double?
        var lastHeard: Double
        /// The host time at which the last key frame was queued.
        var lastKeyFrame = -Double.infinity
        var messages: RequestBudget
        var controls: RequestBudget
        var keyFrames: RequestBudget
        var lastRefusal = -Double.infinity
    }

    private let state: Guarded<State>

    init() {
        let now = MonotonicClock.seconds
        state = Guarded(
            State(
                lastHeard: now, messages: RequestBudget(burst: 400, perSecond: 300, now: now),
                controls: RequestBudget(burst: 20, perSecond: 10, now: now),
                keyFrames: RequestBudget(burst: 2, perSecond: 1, now: now)))
    }

    // MARK: The writing task

    /// Waits for the next frame. Returns nil after the last one. One task calls this function.
    func next() async -> Data? {
        await withCheckedContinuation { continuation in
            let ready: Data?? = state.withLock { state in
                state.writeStart = nil
                if let frame = Self.take(&state) { return frame }
                if state.isClosed { return .some(nil) }
                state.waiting = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    private static func take(_ state: inout State) -> Data? {
        let frame: Data?
        if state.isClosed {
            frame = state.farewell
            state.farewell = nil
        } else {
            frame = state.queue.popFirst()
        }
        if frame != nil { state.writeStart = MonotonicClock.seconds }
        return frame
    }

    /// Changes the state, and passes the next frame to the writing task if the task is waiting.
    private func change(_ body: (inout State) -> Void) {
        let wake: (CheckedContinuation<Data?, Never>, Data?)? = state.withLock { state in
            body(&state)
            guard let waiting = state.waiting else { return nil }
            let frame = Self.take(&state)
            guard frame != nil || state.isClosed else { return nil }
            state.waiting = nil
            return (waiting, frame)
        }
        if let wake { wake.0.resume(returning: wake.1) }
    }

    // MARK: Frames

    func send(_ sample: ViewerQueue.SampleFrame) {
        change { state in
            guard !state.isClosed else { return }
            let wasStreaming = !state.queue.needsKeyFrame
            if state.queue.append(sample), sample.isKeyFrame {
                if !wasStreaming { state.acknowledged.removeAll() }
                state.lastKeyFrame = sample.time
            }
        }
    }

    func send(message: Data) {
        change { if !$0.isClosed { $0.queue.append(message: message) } }
    }

    /// Ends the viewer: the close frame is the last one that is written.
    func close(_ code: UInt16, _ reason: String) {
        change { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            state.queue.restart()
            state.farewell = ServerFrame.close(code, reason)
        }
    }

    /// Ends the viewer without a close frame, because its connection has ended.
    func abandon() {
        change { state in
            state.isClosed = true
            state.farewell = nil
            state.queue.restart()
        }
    }

    // MARK: Requests

    /// Notes a frame from the viewer. Returns false if the viewer sends too many.
    func hear() -> Bool {
        let now = MonotonicClock.seconds
        return state.withLock { state in
            state.lastHeard = now
            return state.messages.take(at: now)
        }
    }

    /// Notes a change of the rate, or a request for a refresh. Returns false if the viewer sends too many.
    func takeControl() -> Bool { state.withLock { $0.controls.take(at: MonotonicClock.seconds) } }

    /// Notes a request for a key frame. Returns false if the viewer sends too many.
    func takeKeyFrame() -> Bool { state.withLock { $0.keyFrames.take(at: MonotonicClock.seconds) } }

    /// Sends an error message, at most two a second.
    func refuse(_ message: String) {
        let now = MonotonicClock.seconds
        let isDue = state.withLock { state in
            guard now - state.lastRefusal >= 0.5 else { return false }
            state.lastRefusal = now
            return true
        }
        if isDue { send(message: ServerMessage.frame(ServerMessage.Refusal(message: message))) }
    }

    func acknowledge(_ number: UInt32, sent: UInt32) {
        state.withLock { if !$0.queue.needsKeyFrame { $0.acknowledged.insert(number, sent: sent) } }
    }

    // MARK: Facts

    enum KeyFrameNeed {
        case none
        /// The viewer has had no key frame yet.
        case first
        /// The viewer was too slow, and has now read everything that was sent.
        case next
    }

    func keyFrameNeed(at now: Double) -> KeyFrameNeed {
        state.withLock { state in
            guard !state.isClosed, state.queue.needsKeyFrame, state.queue.count == 0, state.writeStart == nil else {
                return .none
            }
            return state.lastKeyFrame < 0 ? .first : .next
        }
    }

    /// The frames that the viewer has decoded; nil if it waits for a key frame, and so can decode nothing.
    var acknowledged: AcknowledgedFrames? {
        state.withLock { $0.isClosed || $0.queue.needsKeyFrame ? nil : $0.acknowledged }
    }

    /// Whether the viewer has stopped reading or answering.
    func isOverdue(at now: Double) -> Bool {
        state.withLock { state in
            now - (state.writeStart ?? now) > Self.writeLimit || now - state.lastHeard > Self.silenceLimit
        }
    }
}

/// A limit for requests (token bucket): `burst` at once, and `perSecond` on average.
struct RequestBudget: Sendable {
    private let burst: Double
    private let perSecond: Double
    private var left: Double
    private var last: Double

    init(burst: Double, perSecond: Double, now: Double) {
        (self.burst, self.perSecond, left, last) = (burst, perSecond, burst, now)
    }

    /// Counts one request. Returns false if the limit is exceeded.
    mutating func take(at now: Double) -> Bool {
        left = min(burst, left + max(0, now - last) * perSecond)
        last = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
