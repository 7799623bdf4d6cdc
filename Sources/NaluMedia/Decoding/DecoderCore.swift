internal import Nalu
internal import NaluBase

/// The client's side of a session, without its handle. ``DecompressionSession`` and the worker thread both keep a
/// reference.
final class DecoderCore: ThreadedSession {
    let options: DecompressionSession.Options
    private let codec: UInt32
    let monitor: Monitor<DecoderState>
    /// The session's identity for ``WorkerThread`` and ``CallbackWaits``.
    var identity: UInt { UInt(bitPattern: ObjectIdentifier(monitor)) }

    init(
        _ format: FormatDescription, options: DecompressionSession.Options, handler: @escaping DecodeHandler,
        onFinish: (@Sendable () -> Void)?
    ) {
        self.options = options
        codec = format.codec
        var state = DecoderState()
        state.handler = handler
        state.onFinish = onFinish
        state.knownFormat = format
        state.outstanding.reserveCapacity(128)
        monitor = Monitor(state)
    }

    // MARK: Decoding

    func decode(
        _ sample: Sample, flags: DecompressionSession.DecodeFlags, refcon: UnsafeMutableRawPointer?
    ) throws(NaluError) -> DecompressionSession.InfoFlags {
        guard DecompressionSession.DecodeFlags.all.isSuperset(of: flags) else {
            throw NaluError(
                .parameter,
                "flags is \(flags.rawValue); expected \(options.spelling.decodeFlags), at most \(DecompressionSession.DecodeFlags.all.rawValue)"
            )
        }
        try checkFormat(of: sample)
        let number = try unsafe take(sample, flags, refcon)
        if flags.contains(.asynchronous) { return .asynchronous }
        // The call does not wait inside the callback, nor if waiting would cause a deadlock.
        let isInCallback = WorkerThread.currentSession == identity
        let isWaiting = !isInCallback && CallbackWaits.begin(for: identity)
        defer { if isWaiting { CallbackWaits.end() } }
        return try monitor.wait(for: .progress) { state throws(NaluError) -> DecompressionSession.InfoFlags? in
            let isHeld = state.outstanding.contains(number)
            // A session that has ended delivers the sample by itself.
            let isDone = state.processed > number || state.isInvalid || !isWaiting
            guard isDone || !isHeld else { return nil }
            return isHeld ? .asynchronous : []
        }
    }

    private func checkFormat(of sample: Sample) throws(NaluError) {
        let isKnown = try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            return sample.formatDescription === state.knownFormat
        }
        if isKnown { return }
        let kept = sample.formatDescription
        try checkFitness(of: kept)
        // The former format description is released outside the lock.
        let before = try monitor.locked { state throws(NaluError) in
            defer { state.knownFormat = kept }
            return state.knownFormat
        }
        withExtendedLifetime(before) {}
    }

    /// Waits for room in the queue, and adds the sample for the worker. Returns the sample's number.
    private func take(
        _ sample: Sample, _ flags: DecompressionSession.DecodeFlags, _ refcon: UnsafeMutableRawPointer?
    ) throws(NaluError) -> UInt64 {
        let fromCallback = WorkerThread.currentSession == identity
        var isNoted = false
        defer { if isNoted { CallbackWaits.end() } }
        return try monitor.wait(for: .room) { state throws(NaluError) -> UInt64? in
            if state.isInvalid { throw Self.invalidError }
            guard state.queue.count < (fromCallback ? DecoderState.roomFromCallback : DecoderState.room) else {
                guard !fromCallback else {
                    throw NaluError(
                        .wouldBlock,
                        "\(state.queue.count) samples are waiting for the decoder, which is the limit; try again later")
                }
                if !isNoted {
                    guard CallbackWaits.begin(for: identity) else { throw CallbackWaits.refusal }
                    isNoted = true
                }
                return nil
            }
            if state.worker == nil {
                let worker = DecoderWorker(monitor: monitor, options: options)
                state.worker = try WorkerThread.start(of: identity) { worker.run() }
            }
            let number = state.accepted
            state.accepted += 1
            state.outstanding.append(number)
            let isHidden = sample.isHidden
            state.queue.append(
                QueuedSample(
                    record: unsafe SampleRecord(
                        number: number, flags: isHidden ? flags.union(.doNotOutput) : flags, refcon: refcon,
                        presentationTime: sample.presentationTime, duration: sample.duration),
                    sample: sample))
            monitor.wake(.work)
            return number
        }
    }

    // MARK: Formats

    func canAccept(_ format: FormatDescription) -> Bool {
        do throws(NaluError) {
            try checkFitness(of: format)
            return true
        } catch {
            return false
        }
    }

    private func checkFitness(of format: FormatDescription) throws(NaluError) {
        guard format.codec == codec else {
            throw NaluError(
                .unsupportedDataFormat,
                "the sample's format description is of another codec than the session's; create another session")
        }
        try VideoDecoder.checkFitness(of: format, options.pictureLimit)
    }

    // MARK: Finishing and ending

    func finishDelayedFrames() throws(NaluError) {
        try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            state.flushTarget = state.accepted
            monitor.wake(.work)
        }
    }

    func wait() throws(NaluError) {
        try refuseInCallback(options.spelling.waitForAsynchronousFrames)
        try awaitWorker { () throws(NaluError) in
            let target = try monitor.locked { state throws(NaluError) -> UInt64 in
                if state.isInvalid { throw Self.invalidError }
                state.flushTarget = state.accepted
                monitor.wake(.work)
                return state.accepted
            }
            try monitor.wait(for: .progress) { state throws(NaluError) -> Void? in
                if state.isInvalid { throw Self.invalidError }
                return state.oldest >= target ? () : nil
            }
        }
    }

    /// Ends the session.
    ///
    /// - Parameter isRelease: whether the last handle was released. This is allowed inside the callback too, where
    ///   nothing waits.
    func invalidate(isRelease: Bool = false) throws(NaluError) {
        try invalidate(isRelease: isRelease, as: options.spelling.invalidate)
    }

    /// Releases the handler and notifies the client, after the last callback. Both run the client's code, so they run
    /// outside the lock.
    static func releaseHandler(_ monitor: Monitor<DecoderState>) {
        let things = try? monitor.locked { state in
            defer {
                state.handler = nil
                state.onFinish = nil
                state.knownFormat = nil
            }
            return (state.handler, state.onFinish, state.knownFormat)
        }
        things?.1?()
    }

    var lastError: String {
        (try? monitor.locked { $0.lastError }) ?? ""
    }
}
