internal import FoundationEssentials
public import Nalu
internal import NaluBase

/// Distributes the samples of one encoder to all viewers, and collects the viewers' requests for it.
///
/// The thread that hands frames to the encoder calls ``nextFrame(captureTime:)`` before each frame; the encoder's output handler
/// calls ``send(_:captureTime:)``.
public final class Broadcast: Sendable {
    /// The bit rates that viewers can choose, in bits per second.
    public static let bitRates = 100_000...20_000_000
    /// The least time in seconds between two forced key frames.
    private static let keyFrameInterval = 0.25
    /// The least time in seconds before a key frame for a slow viewer. More key frames would cost the others quality.
    private static let slowKeyFrameInterval = 1.0

    /// The requests of the viewers that apply to the next frame.
    public struct Request: Sendable {
        public var needsKeyFrame = false
        public var needsRefresh = false
        /// The token of a sample that every viewer has decoded; nil if there is none since the last frame.
        public var acknowledgedToken: Int64?
        /// The bit rate that a viewer has chosen since the last frame, in bits per second.
        public var bitRate: Int?
    }

    /// The counters since the start.
    public struct Statistics: Sendable {
        public var frames = 0
        public var bytes = 0
        public var keyFrames = 0
        public var refreshes = 0
        public var viewers = 0
        /// The bit rate that was last chosen.
        public var bitRate = 0
        /// The median time from capture to the end of encoding of the last 64 frames, in milliseconds; 0 without frames.
        public var encodeDelay = 0.0
    }

    private struct State: Sendable {
        var viewers: [Viewer] = []
        var statistics = Statistics()
        var wantsKeyFrame = false
        var wantsRefresh = false
        var newBitRate: Int?
        var lastForced = -Double.infinity
        /// The number of the last sample.
        var number: UInt32 = 0
        /// The tokens of the last samples, at the index of their number modulo the count.
        var tokens = [Int64?](repeating: nil, count: 64)
        var lastAcknowledged: UInt32?
        /// The frames that were handed to the encoder as a refresh, by their capture time in microseconds.
        var refreshes: Set<Int64> = []
        var delays = RingBuffer<Double>(capacity: 64)
    }

    let source: String
    private let isViewOnly: Bool
    private let canRefresh: Bool
    private let state: Guarded<State>

    /// - Parameters:
    ///   - source: the name that the page shows.
    ///   - bitRate: the bit rate of the encoder at the start, in bits per second.
    ///   - isViewOnly: whether viewers cannot change it.
    ///   - canRefresh: whether the encoder can refer to acknowledged frames only. If not, a key frame replaces a refresh.
    public init(source: String, bitRate: Int, isViewOnly: Bool, canRefresh: Bool = true) {
        self.source = source
        self.isViewOnly = isViewOnly
        self.canRefresh = canRefresh
        var state = State()
        state.statistics.bitRate = bitRate
        self.state = Guarded(state)
    }

    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.viewers = state.viewers.count
            let delays = (0..<state.delays.count).compactMap { state.delays[$0] }.sorted()
            statistics.encodeDelay = delays.isEmpty ? 0 : delays[delays.count / 2]
            return statistics
        }
    }

    // MARK: The encoder

    /// Returns the requests for the next frame; nil if there is no viewer, and no frame needs to be encoded.
    ///
    /// - Parameter captureTime: the frame's capture time as a host time in microseconds.
    public func nextFrame(captureTime: Int64) -> Request? {
        let now = MonotonicClock.seconds
        let viewers = self.viewers
        guard !viewers.isEmpty else { return nil }
        let needs = viewers.map { $0.keyFrameNeed(at: now) }
        let common = AcknowledgedFrames.common(viewers.compactMap(\.acknowledged))
        return state.withLock { state in
            var request = Request()
            request.bitRate = state.newBitRate
            state.newBitRate = nil
            let pause = now - state.lastForced
            if (needs.contains(.first) || state.wantsKeyFrame) && pause >= Self.keyFrameInterval
                || needs.contains(.next) && pause >= Self.slowKeyFrameInterval
            {
                request.needsKeyFrame = true
                state.lastForced = now
                (state.wantsKeyFrame, state.wantsRefresh) = (false, false)
            } else if state.wantsRefresh {
                request.needsRefresh = true
                state.wantsRefresh = false
                // An entry is left over only if the encoder drops the frame.
                if state.refreshes.count >= 16 { state.refreshes.removeAll() }
                state.refreshes.insert(captureTime)
            }
            if let common, common != state.lastAcknowledged, state.number &- common < 64 {
                state.lastAcknowledged = common
                request.acknowledgedToken = state.tokens[Int(common % 64)]
            }
            return request
        }
    }

    /// Sends a sample to all viewers that can decode it. Never waits.
    ///
    /// - Parameter captureTime: the host time in microseconds.
    public func send(_ sample: Sample, captureTime: Int64) {
        let now = MonotonicClock.seconds
        let sendTime = Int64(now * 1e6)
        let (number, isRefresh, viewers) = state.withLock { state in
            state.number &+= 1
            state.tokens[Int(state.number % 64)] = sample.ltrAcknowledgementToken
            let isRefresh = state.refreshes.remove(captureTime) != nil
            state.statistics.frames += 1
            state.statistics.bytes += unsafe sample.data.count
            if sample.isKeyFrame {
                state.statistics.keyFrames += 1
            } else if isRefresh {
                state.statistics.refreshes += 1
            }
            if state.delays.count == 64 { _ = state.delays.popFirst() }
            state.delays.append(Double(sendTime - captureTime) / 1000)
            return (state.number, isRefresh, state.viewers)
        }
        var bytes = ServerMessage.frame(
            sample, number: number, isRefresh: isRefresh, captureTime: captureTime, sendTime: sendTime)
        if sample.isKeyFrame, let stream = ServerMessage.Stream(sample.formatDescription) {
            bytes = ServerMessage.frame(stream) + bytes
        }
        let frame = ViewerQueue.SampleFrame(bytes: bytes, isKeyFrame: sample.isKeyFrame, time: now)
        for viewer in viewers { viewer.send(frame) }
    }

    /// Repeats a request with the next frame, because the encoder has refused or dropped the frame of the request.
    public func retry(_ request: Request) {
        state.withLock { state in
            if request.needsKeyFrame {
                state.wantsKeyFrame = true
                state.lastForced = -Double.infinity
            }
            if request.needsRefresh { state.wantsRefresh = true }
        }
    }

    // MARK: Viewers

    var viewers: [Viewer] { state.withLock { $0.viewers } }

    /// Adds a viewer. Returns false if there are `limit` viewers already.
    func join(_ viewer: Viewer, limit: Int) -> Bool {
        let isIn = state.withLock { state in
            guard state.viewers.count < limit else { return false }
            state.viewers.append(viewer)
            return true
        }
        if isIn {
            viewer.send(
                message: ServerMessage.frame(
                    ServerMessage.Hello(
                        source: source, isViewOnly: isViewOnly, leastBitRate: Self.bitRates.lowerBound,
                        mostBitRate: Self.bitRates.upperBound)))
            viewer.send(message: stateFrame)
        }
        return isIn
    }

    func leave(_ viewer: Viewer) {
        state.withLock { state in state.viewers.removeAll { $0 === viewer } }
    }

    /// The message about the state of the encoder, for all viewers.
    var stateFrame: Data {
        let statistics = statistics
        return ServerMessage.frame(
            ServerMessage.State(
                bitRate: statistics.bitRate, viewers: statistics.viewers, keyFrames: statistics.keyFrames,
                refreshes: statistics.refreshes, encodeDelay: statistics.encodeDelay))
    }

    /// Handles a message of a viewer. Answers a wrong message with an error message.
    func receive(_ text: String, from viewer: Viewer) {
        let request: ClientRequest
        do throws(ClientRequest.Malformed) {
            request = try ClientRequest(text)
        } catch {
            viewer.refuse(error.message)
            return
        }
        switch request {
        case .clock(let page):
            let host = Int64(MonotonicClock.seconds * 1e6)
            viewer.send(message: ServerMessage.frame(ServerMessage.Clock(page: page, host: host)))
        case .acknowledge(let frame):
            viewer.acknowledge(frame, sent: state.withLock { $0.number })
        case .rate(let rate):
            guard !isViewOnly else { return viewer.refuse("viewers of this server cannot change the bit rate") }
            guard viewer.takeControl() else { return viewer.refuse("rate was changed more than 10 times a second") }
            guard rate >= Double(Self.bitRates.lowerBound), rate <= Double(Self.bitRates.upperBound) else {
                return viewer.refuse(
                    "bitsPerSecond is \(rate); expected \(Self.bitRates.lowerBound) to \(Self.bitRates.upperBound)"
                )
            }
            state.withLock { state in
                state.newBitRate = Int(rate)
                state.statistics.bitRate = Int(rate)
            }
        case .keyFrame:
            guard viewer.takeKeyFrame() else {
                return viewer.refuse("a key frame was requested more than once a second")
            }
            state.withLock { $0.wantsKeyFrame = true }
        case .refresh:
            guard viewer.takeControl() else {
                return viewer.refuse("a refresh was requested more than 10 times a second")
            }
            state.withLock { state in
                if canRefresh { state.wantsRefresh = true } else { state.wantsKeyFrame = true }
            }
        }
    }
}
