internal import Nalu
internal import NaluBase

/// The state that the threads of a publisher share, under its lock.
struct PublishState {
    /// The video samples that the receiver cannot decode, and that are therefore not sent.
    private enum Gap: Equatable {
        case none
        /// Samples are dropped until the next key frame.
        case untilKeyFrame
        /// Samples are dropped until one refers to this token or an earlier one.
        case untilReference(Int64)
    }

    /// The most bytes that wait for the publisher's thread.
    private static let mostBytes = 33_554_432
    /// The most frames that wait if an LTR refresh can follow. The refresh needs the frame before them, and an encoder
    /// with an AutoLevel keeps at least eight.
    private static let mostFrames = 6
    /// The least seconds between two readings of the link's state.
    private static let readInterval = 0.02
    /// The seconds after which a refresh is requested again.
    private static let requestInterval = 1.0

    let options: PublisherOptions
    let hasFeedback: Bool
    var statistics = PublisherStatistics()
    var queue = PublishQueue()
    var transport: (any PublishTransport)?
    var controller: RateController?
    /// The rate that the session has; 0 before the first.
    var appliedBitRate = 0.0
    var isFinishing = false
    var isStopped = false
    var workerIsDone = false
    /// The reason for which there is no connection, or for which the publisher has ended.
    var failure: NaluError?
    var wasConnected = false
    var hasDroppedSinceEvent = false
    /// Whether the transport has dropped samples after the last one was handed in.
    private(set) var endIsLost = false
    private var needsHeader = true
    private var gap = Gap.untilKeyFrame
    private var lastRequest: Double?
    private var writtenBytes = 0
    private var producedBytes = 0
    private var deliveredBytes = 0
    private var acknowledgedBytes = 0
    private var lastAcknowledgement = -Double.infinity
    private var lastReading = -Double.infinity
    private var lostPackets = 0
    private var lastRates: [(time: Double, delivered: Int, produced: Int)] = []

    init(_ options: PublisherOptions, hasFeedback: Bool) {
        self.options = options
        self.hasFeedback = hasFeedback
    }

    var isConnected: Bool { statistics.state == .connected }
    /// The time since which samples have waited for an acknowledgement, and none has arrived; nil if no sample waits.
    var waitsSince: Double? { queue.oldestTime.map { max($0, lastAcknowledgement) } }

    // MARK: The connection

    mutating func connected(_ transport: any PublishTransport) {
        self.transport = transport
        statistics.state = .connected
        if wasConnected { statistics.reconnects += 1 }
        wasConnected = true
        failure = nil
        needsHeader = true
        (writtenBytes, producedBytes, deliveredBytes, lostPackets) = (0, 0, 0, 0)
        acknowledgedBytes = 0
        lastRates = []
        begin(.untilKeyFrame)
        controller?.restart()
    }

    mutating func disconnected(_ state: PublisherStatistics.State, _ failure: NaluError?) {
        drop(queue.restart())
        transport = nil
        statistics.state = state
        (statistics.queueDelay, statistics.queuedBytes, statistics.throughput) = (0, 0, 0)
        if let failure { self.failure = failure }
        begin(.untilKeyFrame)
    }

    // MARK: Samples

    /// Facts about the bytes of a sample.
    struct Facts {
        let isVideo: Bool
        let isKeyFrame: Bool
        let token: Int64
        let reference: Int64
    }

    /// Adds the bytes of a sample to the queue, or drops them. `header` precedes the first key frame of a connection.
    mutating func add(_ bytes: [UInt8], header: [UInt8], _ facts: Facts, at time: Double) {
        guard isConnected, accepts(facts, time) else { return drop(facts.isVideo ? 1 : 0) }
        let isFirst = needsHeader
        needsHeader = false
        let size = bytes.count + (isFirst ? header.count : 0)
        producedBytes += size
        let entry = PublishQueue.Entry(size: size, time: time, token: facts.token, isVideo: facts.isVideo)
        if isFirst { queue.append(entry, bytes, header: header) } else { queue.append(entry, bytes) }
    }

    private mutating func accepts(_ facts: Facts, _ time: Double) -> Bool {
        let isLong =
            queue.waitingBytes > Self.mostBytes
            || options.allowsLTRRefresh && queue.takenToken >= 0 && queue.waitingFrames >= Self.mostFrames
        if let oldest = queue.oldestWaitingTime, time - oldest > 2 * options.maximumDelay || isLong {
            drop(queue.dropWaiting())
            let last = queue.lastToken
            begin(options.allowsLTRRefresh && last >= 0 ? .untilReference(last) : .untilKeyFrame)
        }
        guard facts.isVideo else { return !needsHeader }
        if facts.isKeyFrame {
            gap = .none
            lastRequest = nil
            return true
        }
        switch gap {
        case .none: return true
        case .untilKeyFrame: return false
        case .untilReference(let last):
            guard facts.reference >= 0, facts.reference <= last else { return false }
            gap = .none
            lastRequest = nil
            return true
        }
    }

    private mutating func begin(_ gap: Gap) {
        self.gap = gap
        lastRequest = nil
    }

    private mutating func drop(_ count: Int) {
        guard count > 0 else { return }
        statistics.droppedSamples += count
        hasDroppedSinceEvent = true
    }

    /// Notes bytes that the transport has taken.
    mutating func wrote(_ bytes: Int) {
        writtenBytes += bytes
        statistics.sentBytes += bytes
        statistics.sentSamples += 1
    }

    // MARK: The link

    /// Reads the state of the link, unless the last reading is recent.
    mutating func readLink(at time: Double, always: Bool = false) {
        guard always || time - lastReading >= Self.readInterval else { return }
        lastReading = time
        let link = transport?.state
        if link == nil && hasFeedback { return }
        let acknowledged = max(0, writtenBytes - (link?.queued ?? 0))
        if acknowledged > acknowledgedBytes { lastAcknowledgement = time }
        acknowledgedBytes = acknowledged
        queue.acknowledge(acknowledged)
        deliveredBytes = link?.delivered ?? acknowledged
        // The sample that the publisher's thread is writing counts as well.
        statistics.queuedBytes = queue.waitingBytes + queue.takenBytes - writtenBytes + (link?.queued ?? 0)
        statistics.queueDelay = queue.oldestTime.map { max(0, time - $0) } ?? 0
        statistics.longestQueueDelay = max(statistics.longestQueueDelay, statistics.queueDelay)
        statistics.roundTrip = link?.roundTrip ?? 0
        measureThroughput(at: time)
        if let link, link.dropped > lostPackets {
            lostPackets = link.dropped
            endIsLost = isFinishing
            drop(1)
            if gap == .none { begin(.untilKeyFrame) }
        }
        controller?.update(
            RateController.Feedback(
                time: time, queueDelay: statistics.queueDelay, queuedBytes: statistics.queuedBytes,
                deliveredBytes: deliveredBytes, producedBytes: producedBytes, leastRoundTrip: link?.leastRoundTrip ?? 0)
        )
        statistics.bitRate = Int(controller?.bitRate ?? 0)
    }

    /// Updates the throughput of the last second.
    private mutating func measureThroughput(at time: Double) {
        lastRates.append((time, deliveredBytes, producedBytes))
        while lastRates.count > 2, time - lastRates[1].time >= 1 { lastRates.removeFirst() }
        guard let first = lastRates.first, time > first.time else { return }
        statistics.throughput = max(0, Double(deliveredBytes - first.delivered)) * 8 / (time - first.time)
    }

    /// The size in bytes of the send buffer: the present rate for the maximum delay.
    var window: Int {
        guard let first = lastRates.first, let last = lastRates.last, last.time > first.time else { return 0 }
        let rate = Double(last.produced - first.produced) / (last.time - first.time)
        return Int(min(max(0, rate * options.maximumDelay), 1e8))
    }

    // MARK: Advice

    /// The ratio of DataRateLimits, in one second, to AverageBitRate.
    static let limitShare = 1.2
    /// The least relative change of the rate that is passed to the session.
    private static let leastChange = 0.02

    /// Whether the next key frame is the first of a connection.
    var beginsConnection: Bool { isConnected && needsHeader }

    /// Counts a sample that was dropped because decoding cannot begin before the first key frame.
    mutating func dropUnstarted() { drop(1) }

    /// Returns the controller's rate if the session has another one. The caller must pass it to the session.
    mutating func changedRate() -> Double? {
        guard let rate = controller?.bitRate, abs(rate - appliedBitRate) > Self.leastChange * appliedBitRate else {
            return nil
        }
        appliedBitRate = rate
        return rate
    }

    /// Decides on the next frame.
    mutating func advice(at time: Double) -> PublisherAdvice {
        var advice = PublisherAdvice()
        if queue.takenToken >= 0 && options.allowsLTRRefresh { advice.acknowledgedLTRToken = queue.takenToken }
        guard isConnected else { return advice }
        if controller?.skipsFrame == true && !options.neverSkipsFrames {
            advice.skipsFrame = true
            statistics.skippedFrames += 1
            return advice
        }
        guard gap != .none, lastRequest.map({ time - $0 > Self.requestInterval }) ?? true else { return advice }
        lastRequest = time
        if case .untilReference = gap { advice.forceLTRRefresh = true } else { advice.forceKeyFrame = true }
        return advice
    }
}
