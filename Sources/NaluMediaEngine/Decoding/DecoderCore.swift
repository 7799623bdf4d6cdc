internal import CNalu

/// The client's side of a session, without its handle: ``DecompressionSession`` and the worker thread both keep it.
final class DecoderCore: Sendable {
    let settings: DecoderSettings
    private let codec: nalu_four_char_code
    private let monitor: Monitor<DecoderState>

    init(
        _ format: TrackFormat, settings: DecoderSettings, handler: @escaping DecodeHandler,
        onFinish: (@Sendable () -> Void)?
    ) {
        self.settings = settings
        codec = unsafe nalu_format_description_get_codec(format.handle)
        var state = DecoderState()
        state.handler = handler
        state.onFinish = onFinish
        state.knownFormat = format
        state.outstanding.reserveCapacity(128)
        monitor = Monitor(state)
    }

    // MARK: Decoding

    func decode(
        _ sample: OpaquePointer?, flags: DecodeFlags, refcon: UnsafeMutableRawPointer?
    ) throws(MediaError) -> DecodeInfoFlags {
        guard unsafe sample != nil else {
            throw MediaError(NALU_STATUS_PARAMETER, "sample is NULL; expected a nalu_sample")
        }
        guard let sampleFormat = unsafe nalu_sample_get_format_description(sample) else {
            throw MediaError(NALU_STATUS_INVALID_HANDLE, "sample is no nalu_sample; expected one that is alive")
        }
        guard DecodeFlags.all.isSuperset(of: flags) else {
            throw MediaError(
                NALU_STATUS_PARAMETER,
                "flags is \(flags.rawValue); expected NALU_DECODE_FRAME_ flags, \(DecodeFlags.all.rawValue) at most")
        }
        try unsafe checkFormat(sampleFormat)
        let number = try unsafe take(sample, flags, refcon)
        if flags.contains(.asynchronous) { return .asynchronous }
        return try monitor.wait(for: .progress) { state throws(MediaError) -> DecodeInfoFlags? in
            let isHeld = state.outstanding.contains(number)
            // From inside the callback nobody waits, and a session that has ended gives the sample back by itself.
            let isDone = state.processed > number || state.isInvalid || state.worker?.isCurrent == true
            guard isDone || !isHeld else { return nil }
            return isHeld ? .asynchronous : []
        }
    }

    private func checkFormat(_ format: OpaquePointer) throws(MediaError) {
        let isKnown = try monitor.locked { state throws(MediaError) in
            if state.isInvalid { throw Self.invalidError }
            return unsafe state.knownFormat?.handle == format
        }
        if isKnown { return }
        guard let kept = unsafe TrackFormat(format) else {
            throw MediaError(NALU_STATUS_INVALID_HANDLE, "the sample has no format description that is alive")
        }
        try checkFitness(of: kept)
        // The one before goes outside the lock.
        let before = try monitor.locked { state throws(MediaError) in
            defer { state.knownFormat = kept }
            return state.knownFormat
        }
        withExtendedLifetime(before) {}
    }

    /// Waits for room, and hands the sample to the worker.
    private func take(
        _ sample: OpaquePointer?, _ flags: DecodeFlags, _ refcon: UnsafeMutableRawPointer?
    ) throws(MediaError) -> UInt64 {
        try monitor.wait(for: .room) { state throws(MediaError) -> UInt64? in
            if state.isInvalid { throw Self.invalidError }
            let fromCallback = state.worker?.isCurrent == true
            guard state.queue.count < (fromCallback ? DecoderState.roomFromCallback : DecoderState.room) else {
                guard !fromCallback else {
                    throw MediaError(
                        NALU_STATUS_WOULD_BLOCK,
                        "\(state.queue.count) samples wait for the decoder, which is the most; try again later")
                }
                return nil
            }
            if state.worker == nil {
                let worker = DecoderWorker(monitor: monitor, settings: settings)
                state.worker = try WorkerThread.start { worker.run() }
            }
            guard let kept = unsafe nalu_sample_retain(sample) else {
                throw MediaError(NALU_STATUS_INVALID_HANDLE, "sample is no nalu_sample; expected one that is alive")
            }
            let number = state.accepted
            state.accepted += 1
            state.outstanding.append(number)
            unsafe state.queue.append(
                QueuedSample(
                    SampleRecord(
                        number: number, flags: flags, refcon: refcon,
                        presentationTime: nalu_sample_get_presentation_time(sample),
                        duration: nalu_sample_get_duration(sample)), kept))
            monitor.wake(.work)
            return number
        }
    }

    // MARK: Formats

    func canAccept(_ format: OpaquePointer?) -> Bool {
        guard let format = unsafe TrackFormat(format) else { return false }
        do throws(MediaError) {
            try checkFitness(of: format)
            return true
        } catch {
            return false
        }
    }

    private func checkFitness(of format: TrackFormat) throws(MediaError) {
        guard unsafe nalu_format_description_get_codec(format.handle) == codec else {
            throw MediaError(
                NALU_STATUS_UNSUPPORTED_DATA_FORMAT,
                "the sample's format description is of another codec than the session's; expected another session")
        }
        try VideoDecoder.checkFitness(of: format)
    }

    // MARK: Finishing and ending

    func finishDelayedFrames() throws(MediaError) {
        try monitor.locked { state throws(MediaError) in
            if state.isInvalid { throw Self.invalidError }
            state.flushTarget = state.accepted
            monitor.wake(.work)
        }
    }

    func wait() throws(MediaError) {
        let target = try monitor.locked { state throws(MediaError) -> UInt64 in
            if state.isInvalid { throw Self.invalidError }
            if state.worker?.isCurrent == true {
                throw MediaError(
                    NALU_STATUS_REENTRANT,
                    "wait_for_asynchronous_frames was called from the session's callback, and would wait for that very call"
                )
            }
            state.flushTarget = state.accepted
            monitor.wake(.work)
            return state.accepted
        }
        try monitor.wait(for: .progress) { state throws(MediaError) -> Void? in
            if state.isInvalid { throw Self.invalidError }
            return state.oldest >= target ? () : nil
        }
    }

    /// Ends the session. `isRelease`: the handle goes away, also inside the callback, where nobody waits.
    func invalidate(isRelease: Bool = false) throws(MediaError) {
        enum Next { case done, wait, finishHere }
        let next = try monitor.locked { state throws(MediaError) -> Next in
            let isWorker = state.worker?.isCurrent == true
            if isWorker && !isRelease && !state.isInvalid {
                throw MediaError(
                    NALU_STATUS_REENTRANT,
                    "invalidate was called from the session's callback, and would wait for that very call")
            }
            if state.isInvalid { return isWorker || state.worker == nil ? .done : .wait }
            state.isInvalid = true
            monitor.wake(.work)
            monitor.wake(.room)
            monitor.wake(.progress)
            if state.worker == nil { return .finishHere }
            return isWorker ? .done : .wait
        }
        switch next {
        case .done: break
        case .finishHere: Self.letGo(monitor)
        case .wait:
            try monitor.wait(for: .progress) { $0.workerIsDone ? () : nil }
        }
    }

    /// After the last callback: forgets the handler and tells the client. Outside the lock, because both are its own.
    static func letGo(_ monitor: Monitor<DecoderState>) {
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

    private static var invalidError: MediaError {
        MediaError(NALU_STATUS_INVALID_SESSION, "the session has been invalidated; create another one")
    }
}
