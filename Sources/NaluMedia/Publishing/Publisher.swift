public import Nalu
public import NaluBase

/// Sends samples to an address: RTMP, SRT, UDP, or HTTP PUT.
///
///     let publisher = try Publisher(url: "rtmp://localhost/live/stream")
///     try publisher.addTrack(sample.formatDescription)
///     let advice = try publisher.prepareFrame(of: session)      // before each frame
///     if !advice.skipsFrame { try session.encode(...) }
///     try publisher.write(sample)                               // for each sample, in decode order
///     try publisher.finish(timeout: 5)
///
/// Handing in a sample never waits for the network. The publisher's own thread connects, sends, and connects again
/// after a failure; the stream then continues with a new header and a key frame. docs/live.md describes addresses,
/// containers, delays and the controller.
///
/// Any thread may call any function. `@unchecked Sendable`: the exclusive access of `writer` guards `output` and
/// `isFresh`; everything else is constant.
@safe
public final class Publisher: @unchecked Sendable {
    private let worker: PublishWorker
    private let writer: Writer
    private let output: PublishOutput
    private let address: PublishAddress
    private let options: PublisherOptions
    private let clientReferences = ClientReferences()
    /// True until the writer has a sample.
    private var isFresh = true

    private var state: Guarded<PublishState> { worker.state }
    /// The publisher's identity for ``WorkerThread`` and ``CallbackWaits``.
    private var identity: UInt { UInt(bitPattern: ObjectIdentifier(worker)) }

    /// Creates a publisher and begins to connect.
    ///
    /// - Parameters:
    ///   - url: an address that begins with `rtmp`, `rtmps`, `srt`, `udp`, `http` or `https`.
    ///   - eventHandler: receives events on the publisher's thread. The publisher waits for it.
    ///
    /// Throws `.parameter` for a wrong address; `.outOfRange` and `.conflict` for the options; `.couldNotCreateInstance`
    /// if FFmpeg or libsrt cannot be loaded, or lacks the protocol.
    public convenience init(
        url: String, options: PublisherOptions = PublisherOptions(),
        eventHandler: (@Sendable (PublisherEvent, PublisherStatistics) -> Void)? = nil
    ) throws(NaluError) {
        try self.init(url: url, options: options, onFinish: nil, handler: eventHandler)
    }

    /// Creates a publisher with a function that runs when the publisher has ended, after the last event.
    package init(
        url: String, options: PublisherOptions, onFinish: (@Sendable () -> Void)?, handler: PublishHandler?
    ) throws(NaluError) {
        try options.check()
        let address = try PublishAddress(url)
        let worker = try PublishWorker(address, options, handler: handler, onFinish: onFinish)
        try FFmpegLibraries.load()
        try address.checkProtocol()
        if address.transport == .srt { try SRTTransport.load() }
        self.address = address
        self.options = options
        self.worker = worker
        output = PublishOutput(worker.state)
        writer = try Writer(publishing: output, address.container, options.spelling)
        do throws(NaluError) {
            try WorkerThread.start(of: UInt(bitPattern: ObjectIdentifier(worker))) { worker.run() }
        } catch {
            worker.state.change { $0.workerIsDone = true }
            throw error
        }
    }

    deinit {
        try? end(isRelease: true)
    }

    /// Whether a text is an address, and not a path: a scheme and "://".
    public static func isAddress(_ text: String) -> Bool { PublishAddress.isAddress(text) }

    /// Returns an address without secrets, for messages.
    public static func shownAddress(of text: String) -> String { (try? PublishAddress(text))?.shown ?? text }

    /// The container that is sent to an address; nil for a text that cannot be published to.
    public static func container(of text: String) -> Container? {
        (try? PublishAddress(text)).map { Container(rawValue: $0.container.rawValue) }
    }

    /// Notes a further reference of a client that counts references.
    package func retainedByClient() { clientReferences.retain() }

    /// Notes that the client released a reference. The last release ends the publisher.
    package func releasedByClient() {
        if clientReferences.release() { try? end(isRelease: true) }
    }

    /// The address without secrets, for messages.
    public var shownAddress: String { address.shown }

    // MARK: - Tracks and samples

    /// Adds the video track, or an audio track for the samples of an ``AudioEncoder``, before the first sample. Returns
    /// its number.
    ///
    /// Throws `.unsupportedDataFormat` for a second video track, and for H.265 with RTMP.
    @discardableResult
    public func addTrack(_ format: FormatDescription) throws(NaluError) -> Int {
        try writer.addTrack(format)
    }

    /// Adds an audio track that is copied from a reader; see ``Writer/addTrack(_:of:)``. The reader never waits for the
    /// network. Returns the number of the track.
    @discardableResult
    public func addTrack(_ track: Int, of reader: Reader) throws(NaluError) -> Int {
        try writer.addTrack(track, of: reader)
    }

    /// Hands in the next sample of a track, in decode order. Never waits for the network. Without a connection, and
    /// when the queue is too long, samples are dropped and counted.
    ///
    /// Throws `.outOfOrder` after ``finish(timeout:)``; `.invalidTime`, `.outOfRange` and `.unsupportedDataFormat` as
    /// ``Writer/write(_:to:)`` does; `.inputOutput` if the publisher has ended because of ``PublisherOptions/attemptLimit``.
    public func write(_ sample: Sample, to track: Int = 0) throws(NaluError) {
        try checkUse()
        let isNew = state.withLock { $0.beginsConnection }
        try writer.access.run { () throws(NaluError) in
            if let audio = try writer.encodedTrack(track) { return try writer.writeAudio(sample, audio) }
            if isFresh, !sample.isStart {
                return state.change { $0.dropUnstarted() }
            }
            // The writer interleaves video and audio, so the next packet can be an earlier sample.
            let tokens = (sample.ltrAcknowledgementToken ?? -1, sample.ltrReferenceToken ?? -1)
            output.tokens = writer.passed.isEmpty ? tokens : (-1, -1)
            if isNew && sample.isKeyFrame { writer.converter?.restate() }
            try writer.writeExclusively(sample, track)
            isFresh = false
        }
    }

    private func checkUse() throws(NaluError) {
        let failure = state.withLock { state -> NaluError? in
            if state.isStopped { return Self.invalid }
            if state.isFinishing { return NaluError(.outOfOrder, "the publisher is finished; expected a new one") }
            return state.statistics.state == .ended ? state.failure ?? Self.invalid : nil
        }
        if let failure { throw failure }
    }

    private static var invalid: NaluError {
        NaluError(.invalidSession, "the publisher has ended; create another one")
    }

    // MARK: - The next frame

    /// Returns the instructions for the next frame, and sets the session's AverageBitRate and DataRateLimits to the rate
    /// that the link can deliver. Call it before each frame. Does not wait.
    ///
    /// The rate follows the link with RTMP and SRT. UDP and HTTP report nothing, so the rate stays.
    ///
    /// - Parameter session: the session whose samples are published; nil to leave the rate alone.
    ///
    /// Throws `.conflict` if the session has no AverageBitRate and the options have no maximum; the errors of the
    /// session's properties.
    public func prepareFrame(of session: CompressionSession?) throws(NaluError) -> PublisherAdvice {
        let isNew = state.withLock { $0.controller == nil }
        var maximum = 0
        if isNew, let session, address.hasFeedback { maximum = try mostBitRate(of: session) }
        let now = MonotonicClock.seconds
        let (advice, rate) = state.change { state in
            if state.controller == nil && maximum > 0 {
                let minimum = options.minimumBitRate > 0 ? options.minimumBitRate : maximum / 20
                state.controller = RateController(
                    minimumBitRate: Double(min(minimum, maximum)), maximumBitRate: Double(maximum),
                    maximumDelay: options.maximumDelay)
            }
            state.readLink(at: now)
            return (state.advice(at: now), session == nil ? nil : state.changedRate())
        }
        if let session, let rate { try set(rate, of: session) }
        return advice
    }

    private func mostBitRate(of session: CompressionSession) throws(NaluError) -> Int {
        if options.maximumBitRate > 0 { return options.maximumBitRate }
        let rate = Int(try session.property(.averageBitRate).integerValue ?? 0)
        guard rate > 0 else {
            throw NaluError(
                .conflict,
                "the session has no AverageBitRate, which the publisher changes; expected AverageBitRate, or a maximum bit rate in the publisher's options"
            )
        }
        return rate
    }

    private func set(_ rate: Double, of session: CompressionSession) throws(NaluError) {
        let bytes = max(1000, (rate / 8 * PublishState.limitShare).rounded())
        try session.set([
            (.averageBitRate, .integer(Int64(rate))), (.dataRateLimits, .numbers([bytes, 1])),
        ])
    }

    // MARK: - State

    /// The state and the counts.
    public var statistics: PublisherStatistics {
        let now = MonotonicClock.seconds
        return state.withLock { state in
            state.readLink(at: now)
            return state.statistics
        }
    }

    /// The reason for which there is no connection; nil if there is one or none was tried.
    public var failure: NaluError? { state.withLock { $0.failure } }

    /// Waits until there is a connection. Throws `.inputOutput` with the reason if the first attempt fails or `timeout`
    /// seconds pass, 0 to 600.
    public func waitUntilConnected(timeout: Double) throws(NaluError) {
        try check(timeout)
        let result = try awaiting { () throws(NaluError) in
            state.wait(milliseconds: Int(timeout * 1000)) { state -> Result<Void, NaluError>? in
                if state.isStopped { return .failure(Self.invalid) }
                if state.isConnected { return .success(()) }
                return state.failure.map { .failure($0) }
            }
        }
        guard let result else {
            throw NaluError(.inputOutput, "\(address.shown): no connection within \(timeout) s")
        }
        try result.get()
    }

    /// Sends all samples that were handed in, waits for the receiver's acknowledgement, for at most `timeout` seconds, 0
    /// to 600, and closes the connection. A second call does nothing.
    ///
    /// Throws `.inputOutput` if something could not be sent, the server refuses the stream, or the receiver acknowledges
    /// nothing; `.reentrant` in the event handler.
    public func finish(timeout: Double) throws(NaluError) {
        try check(timeout)
        try refuseInHandler("finish")
        if !state.withLock({ $0.isFinishing || $0.isStopped }) {
            try? writer.access.run { () throws(NaluError) in
                guard !isFresh else { return }
                try? writer.complete()
            }
        }
        let isFirst = state.change { state in
            defer { state.isFinishing = true }
            return !state.isFinishing && !state.isStopped
        }
        guard isFirst else { return }
        let isDone = try awaiting { () throws(NaluError) in
            state.wait(milliseconds: Int(timeout * 1000)) { $0.workerIsDone ? true : nil }
        }
        if isDone == nil {
            try? end(isRelease: true)
            throw NaluError(.inputOutput, "\(address.shown): not everything was sent within \(timeout) s")
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Ends the publisher without sending the rest. Waits for the event handler in progress. A second call does nothing.
    ///
    /// Throws `.reentrant` in the event handler.
    public func invalidate() throws(NaluError) {
        try end(isRelease: false)
    }

    private func end(isRelease: Bool) throws(NaluError) {
        if !isRelease { try refuseInHandler("invalidate") }
        worker.deadline.cancel()
        state.change { $0.isStopped = true }
        if WorkerThread.currentSession == identity { return }
        guard CallbackWaits.begin(for: identity) else {
            if isRelease { return }
            throw CallbackWaits.refusal
        }
        defer { CallbackWaits.end() }
        state.wait { $0.workerIsDone ? () : nil }
    }

    private func awaiting<Result>(_ wait: () throws(NaluError) -> Result) throws(NaluError) -> Result {
        try refuseInHandler("the call")
        guard CallbackWaits.begin(for: identity) else { throw CallbackWaits.refusal }
        defer { CallbackWaits.end() }
        return try wait()
    }

    private func refuseInHandler(_ function: String) throws(NaluError) {
        guard WorkerThread.currentSession == identity else { return }
        throw NaluError(
            .reentrant,
            "\(function) was called from the publisher's callback, and would wait for that callback to return")
    }

    private func check(_ timeout: Double) throws(NaluError) {
        guard (0.0...600.0).contains(timeout) else {
            throw NaluError(.outOfRange, "timeout is \(timeout); expected 0 to 600 seconds")
        }
    }
}
