internal import Nalu
internal import NaluBase

/// The publisher's thread: connects, sends, and connects again, until the publisher ends.
///
/// `@unchecked Sendable`: only the publisher's thread uses the variables.
@safe
final class PublishWorker: @unchecked Sendable {
    let state: Guarded<PublishState>
    let deadline = PublishDeadline()
    private let address: PublishAddress
    private let srtParameters: SRTParameters?
    private let options: PublisherOptions
    private let handler: PublishHandler?
    private let onFinish: (@Sendable () -> Void)?
    private var buffer: [UInt8] = []
    private var lastReport = 0.0
    /// The seconds between the first and the last sample that the connection has taken.
    private var transfer = 0.0

    /// Milliseconds between two looks at the link while nothing is sent.
    private static let pollInterval = 20
    private static let reportInterval = 0.5

    init(
        _ address: PublishAddress, _ options: PublisherOptions, handler: PublishHandler?,
        onFinish: (@Sendable () -> Void)?
    ) throws(NaluError) {
        self.address = address
        self.options = options
        self.handler = handler
        self.onFinish = onFinish
        srtParameters =
            address.transport == .srt ? try address.srtParameters(latency: Int(options.maximumDelay * 1000)) : nil
        state = Guarded(PublishState(options, hasFeedback: address.hasFeedback))
    }

    /// The reason for which ``send(by:)`` returns.
    private enum Ending {
        /// Everything is sent.
        case finished
        case stopped
        case lost(NaluError)
    }

    func run() {
        var pause = options.reconnectDelay
        var attempts = 0
        connecting: while !state.withLock({ $0.isStopped }) {
            state.change { $0.statistics.state = .connecting }
            let transport: any PublishTransport =
                srtParameters.map { SRTTransport(address, $0, deadline) }
                ?? FFmpegTransport(address, deadline, allowsAnyCertificate: options.allowsAnyCertificate)
            var failure: NaluError
            // A server can refuse each stream after it has accepted the connection.
            var isProven = false
            do throws(NaluError) {
                try transport.open(timeout: options.connectTimeout)
                state.change { $0.connected(transport) }
                report(.connected)
                let ending = send(by: transport)
                if transfer > options.stallTimeout {
                    attempts = 0
                    pause = options.reconnectDelay
                    isProven = true
                }
                switch ending {
                case .finished:
                    try transport.complete(timeout: options.stallTimeout)
                    transport.close()
                    break connecting
                case .stopped:
                    transport.close()
                    break connecting
                case .lost(let reason): throw reason
                }
            } catch {
                failure = error
                if !isProven { attempts += 1 }
            }
            let isLast = options.attemptLimit > 0 && attempts >= options.attemptLimit
            failure = NaluError(failure.status, "\(address.shown): \(failure.message)")
            state.change { $0.disconnected(isLast ? .ended : .waiting, failure) }
            transport.close()
            if isLast || state.withLock({ $0.isStopped }) { break }
            report(.disconnected)
            let isOver = state.wait(milliseconds: Int(pause * 1000)) { state -> Bool? in
                state.isStopped || state.isFinishing ? true : nil
            }
            if isOver == true { break }
            pause = min(pause * 2, options.maximumReconnectDelay)
        }
        end()
    }

    private func end() {
        let isStopped = state.change { state in
            let isComplete = state.isFinishing && state.isConnected && state.queue.oldestTime == nil
            state.disconnected(.ended, isComplete || state.isStopped ? nil : state.failure)
            return state.isStopped
        }
        if !isStopped { report(.ended) }
        onFinish?()
        state.change { $0.workerIsDone = true }
    }

    // MARK: Sending

    private func send(by transport: any PublishTransport) -> Ending {
        var start: Double?
        transfer = 0
        var lastWindow = MonotonicClock.seconds
        while true {
            let size = state.wait(milliseconds: Self.pollInterval) { state -> Int? in
                if state.isStopped { return -1 }
                return state.queue.take(into: &buffer)
            }
            if size == -1 { return .stopped }
            if let size {
                do throws(NaluError) {
                    let bytes = buffer
                    try transport.write(bytes.span.extracting(first: size), timeout: options.stallTimeout)
                } catch {
                    return .lost(error)
                }
                let time = MonotonicClock.seconds
                state.change { $0.wrote(size) }
                transfer = time - (start ?? time)
                start = start ?? time
            } else {
                do throws(NaluError) { try transport.check() } catch { return .lost(error) }
            }
            let now = MonotonicClock.seconds
            let (isFinishing, isEmpty, waitsSince, window, endIsLost) = state.change { state in
                state.readLink(at: now, always: size == nil)
                return (state.isFinishing, state.queue.isEmpty, state.waitsSince, state.window, state.endIsLost)
            }
            if now - lastWindow > 1 {
                lastWindow = now
                transport.setWindow(window)
            }
            if now - lastReport >= Self.reportInterval { report(.status) }
            if endIsLost {
                return .lost(NaluError(.inputOutput, "the receiver has not taken the last samples within its latency"))
            }
            if isFinishing && isEmpty && waitsSince == nil { return .finished }
            // A receiver that is stopped takes nothing, and its connection stays open.
            if size == nil, let waitsSince, address.hasFeedback || isFinishing,
                now - waitsSince > options.stallTimeout + options.maximumDelay
            {
                return .lost(NaluError(.inputOutput, "the receiver has taken nothing for \(options.stallTimeout) s"))
            }
        }
    }

    /// Calls the client, without a lock.
    private func report(_ event: PublisherEvent) {
        lastReport = MonotonicClock.seconds
        guard let handler else { return }
        let (statistics, hasDropped) = state.withLock { state in
            defer { state.hasDroppedSinceEvent = false }
            return (state.statistics, state.hasDroppedSinceEvent)
        }
        if hasDropped { handler(.dropped, statistics) }
        handler(event, statistics)
    }
}
