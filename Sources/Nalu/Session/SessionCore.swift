/// The client's side of a session, without its handle. ``CompressionSession`` and the worker thread both retain it.
final class SessionCore: ThreadedSession {
    let width: Int
    let height: Int
    /// The encoded size, which is even: 4:2:0 has even sizes only.
    let encodedWidth: Int
    let encodedHeight: Int
    let encoder: EncoderDescription
    /// The format that the client announced, if any.
    let sourceFormat: PixelFormat?
    let monitor: Monitor<SessionState>
    private let intake: FrameIntake
    /// The session's number for ``WorkerThread`` and ``CallbackWaits``.
    var identity: UInt { UInt(bitPattern: ObjectIdentifier(monitor)) }

    init(
        width: Int, height: Int, encoder: EncoderDescription, sourceFormat: PixelFormat?,
        outputHandler: OutputHandler?, onFinish: (@Sendable () -> Void)?
    ) throws(NaluError) {
        let sides = encoder.traits.codec.limits.leastSide...PixelFormat.maximumDimension
        for (name, value) in [("width", width), ("height", height)] where !sides.contains(value) {
            throw NaluError(
                .invalidSize,
                "\(name) is \(value); expected \(sides.lowerBound) to \(sides.upperBound) pixels for codec "
                    + EncoderRegistry.fourCC(encoder.codec))
        }
        try encoder.traits.codec.limits.check(width: width, height: height)
        self.width = width
        self.height = height
        encodedWidth = (width + 1) & ~1
        encodedHeight = (height + 1) & ~1
        self.encoder = encoder
        self.sourceFormat = sourceFormat
        var state = SessionState()
        state.configuration = SessionConfiguration(encoder.traits)
        state.outputHandler = outputHandler
        state.onFinish = onFinish
        monitor = Monitor(state)
        intake = FrameIntake(encodedWidth: encodedWidth, encodedHeight: encodedHeight)
    }

    func geometry(_ configuration: SessionConfiguration) -> PictureGeometry {
        PictureGeometry(width: width, height: height, isInterlaced: configuration.isInterlaced)
    }

    // MARK: Opening

    /// Opens the encoder unless it is open.
    func prepare() throws(NaluError) {
        try enterIntake()
        defer { leaveIntake(tookRoom: false) }
        try openIfNeeded(firstFormat: nil, firstTimescale: nil)
    }

    /// Opens the encoder if necessary. Only the thread with exclusive access to the intake may call it.
    private func openIfNeeded(firstFormat: PixelFormat?, firstTimescale: Int32?) throws(NaluError) {
        while true {
            let (configuration, passes) = try monitor.locked {
                state throws(NaluError) -> (SessionConfiguration?, MultiPass?) in
                if state.isInvalid { throw Self.invalidError }
                return (state.open == nil ? state.configuration : nil, state.multiPass)
            }
            guard let configuration else { return }
            // If a property was set meanwhile, the encoder is opened again, so that it takes effect. The storage
            // outlives the encoder.
            defer { withExtendedLifetime(passes) {} }
            try open(configuration, passes, firstFormat, firstTimescale)
        }
    }

    /// True if an encoder opened with `before` would make another stream than one opened with `after`.
    static func needsOpening(from before: SessionConfiguration, to after: SessionConfiguration) -> Bool {
        // Frames are scaled before they reach the encoder.
        var same = after
        same.allowScaling = before.allowScaling
        same.live.transfer = before.live.transfer
        return same != before
    }

    /// Waits until an unused encoder is closed. No callback can be in its way, because the encoder has had no frame.
    func awaitClosing() throws(NaluError) {
        try monitor.wait(for: .progress) { $0.closing == 0 ? () : nil }
    }

    // MARK: Encoding

    enum FrameSource {
        /// A buffer that is retained, and read until the callback if it needs no conversion.
        case buffer(PixelBuffer)
        /// Memory that is read during the call only.
        case memory(PixelView)

        var view: PixelView {
            switch self {
            case .buffer(let buffer): buffer.view
            case .memory(let view): view
            }
        }
    }

    func encode(
        _ source: FrameSource, presentationTime: MediaTime, duration: MediaTime, options: FrameOptions,
        refcon: UnsafeMutableRawPointer?
    ) throws(NaluError) {
        guard presentationTime.isNumeric else {
            throw NaluError(.invalidTime, "presentation_time is \(presentationTime); expected a numeric time")
        }
        guard duration.isNumeric ? duration.value >= 0 : !duration.flags.contains(.valid) else {
            throw NaluError(
                .invalidTime, "duration is \(duration); expected a numeric time of 0 or more, or the invalid time")
        }
        if let qp = options.baseFrameQP, !(0...51).contains(qp) {
            throw NaluError(.outOfRange, "baseFrameQP is \(qp); expected 0 to 51, or nil")
        }
        let offsets = try options.qpOffsets?.spread(width: width, height: height)
        let isInCallback = WorkerThread.currentSession == identity
        let recovery = RecoveryRequest(options)
        // The handler is no result of the closure: a closure that passes through a generic function is wrapped, on the
        // heap.
        var handler = options.outputHandler
        let view = source.view
        let entry = try awaitRoom { state throws(NaluError) -> Entry? in
            guard try Self.canEnter(state, doNotWait: options.doNotWait, isInCallback: isInCallback, takesRoom: true)
            else { return nil }
            try Self.checkOrder(presentationTime, options, state)
            // Checked before the encoder is opened, so that the client can still set what is missing.
            try Self.check(options, recovery, state)
            if handler == nil { handler = state.outputHandler }
            guard handler != nil else {
                throw NaluError(.parameter, "there is no callback; expected one at creation, or in the frame's options")
            }
            guard state.configuration.allowScaling || (view.width == width && view.height == height) else {
                throw NaluError(
                    .invalidSize,
                    "the frame is \(view.width)x\(view.height); expected \(width)x\(height), because NaluAllowScaling is false"
                )
            }
            state.intakeIsBusy = true
            state.occupied += 1
            if isInCallback, state.waitingForRoom > 0 { state.overtaking += 1 }
            return state.open.map { Entry($0, &state) } ?? .opens
        }
        guard let handler else { return }
        let place: (number: UInt64, waits: Bool)
        do throws(NaluError) {
            let (buffer, isStaging, unused, live) = try prepare(source, entry, presentationTime, options, recovery)
            let record = unsafe FrameRecord(
                number: 0, presentationTime: presentationTime, duration: duration, refcon: refcon, handler: handler,
                limits: FrameLimits())
            place = try monitor.locked { state throws(NaluError) in
                if let unused { state.staging.append(unused) }
                if state.isInvalid { throw Self.invalidError }
                if state.lastTime == nil { try Self.checkRoom(before: presentationTime, state) }
                // The pass may have ended since the first check.
                try state.multiPass?.check(presentationTime, forceKeyFrame: options.forceKeyFrame)
                state.multiPass?.accept(presentationTime, duration: duration)
                let number = state.ledger.accept(presentationTime)
                state.limits.follow(live.rate, number: number)
                state.queue.append(
                    QueuedFrame(
                        record: record.numbered(number, state.limits), buffer: buffer, isStaging: isStaging,
                        forceKeyFrame: options.forceKeyFrame, baseQP: options.baseFrameQP, qpOffsets: offsets,
                        live: live, recovery: recovery))
                state.lastTime = presentationTime
                state.intakeIsBusy = false
                monitor.wake(.work)
                monitor.wake(.room)
                return (number, !isInCallback && Self.isDelayed(number, state))
            }
        } catch {
            leaveIntake(tookRoom: true)
            throw error
        }
        guard place.waits else { return }
        // The frame has been accepted. If the wait would deadlock, the frame is late.
        _ = try CallbackWaits.wait(for: identity) { () throws(NaluError) in
            try monitor.wait(for: .progress) { Self.isDelayed(place.number, $0) ? nil : () }
        }
    }

    /// The state of the session when a frame enters the intake.
    private enum Entry {
        /// The encoder is not open: the frame is the first one.
        case opens
        /// The encoder is open. `spare` is one of the session's own buffers.
        case goesOn(SessionState.OpenEncoder, LiveSettings, spare: PixelBuffer?)

        init(_ open: SessionState.OpenEncoder, _ state: inout SessionState) {
            self = .goesOn(open, state.configuration.live, spare: state.staging.popLast())
        }
    }

    /// Opens the encoder if necessary, and returns the buffer to encode. One thread at a time runs this.
    private func prepare(
        _ source: FrameSource, _ entry: Entry, _ presentationTime: MediaTime, _ options: FrameOptions,
        _ recovery: RecoveryRequest?
    ) throws(NaluError) -> (buffer: PixelBuffer, isStaging: Bool, unused: PixelBuffer?, live: LiveSettings) {
        var entry = entry
        if case .opens = entry {
            try openIfNeeded(firstFormat: source.view.format, firstTimescale: presentationTime.timescale)
            entry = try monitor.locked { state throws(NaluError) in
                guard let open = state.open else { throw Self.invalidError }
                try Self.check(options, recovery, state)
                return Entry(open, &state)
            }
        }
        guard case .goesOn(let open, let live, let spare) = entry else { throw Self.invalidError }
        let (buffer, isStaging, unused) = try intake.prepare(
            source, mode: live.transfer.scalingMode ?? .normal, target: open.target, setup: open.setup, spare: spare)
        return (buffer, isStaging, unused, live)
    }

    /// Waits for exclusive access to the intake.
    func enterIntake() throws(NaluError) {
        let isInCallback = WorkerThread.currentSession == identity
        try awaitRoom { state throws(NaluError) -> Void? in
            guard try Self.canEnter(state, doNotWait: false, isInCallback: isInCallback, takesRoom: false)
            else { return nil }
            state.intakeIsBusy = true
            return ()
        }
    }

    /// Waits until `enter` returns a result. In another session's callback, throws if the wait is forbidden or would
    /// deadlock.
    @inline(__always)
    private func awaitRoom<Result>(
        _ enter: (inout SessionState) throws(NaluError) -> Result?
    ) throws(NaluError) -> Result {
        var isNoted = false
        defer { if isNoted { CallbackWaits.end() } }
        return try monitor.wait(for: .room) { state throws(NaluError) -> Result? in
            if isNoted { state.waitingForRoom -= 1 }
            if let result = try enter(&state) {
                if isNoted { state.overtaking = 0 }
                return result
            }
            if !isNoted {
                guard CallbackWaits.begin(for: identity) else { throw CallbackWaits.refusal }
                isNoted = true
            }
            state.waitingForRoom += 1
            return nil
        }
    }

    /// Whether the caller may enter the intake; if not, it must wait. `isInCallback`: the caller is in this session's
    /// callback.
    private static func canEnter(
        _ state: SessionState, doNotWait: Bool, isInCallback: Bool, takesRoom: Bool
    ) throws(NaluError) -> Bool {
        if state.isInvalid { throw invalidError }
        if takesRoom {
            // Without this check, a callback that passes a frame for each sample would never leave room for other
            // threads.
            guard !isInCallback || state.waitingForRoom == 0 || state.overtaking < SessionState.roomFromCallback else {
                throw NaluError(
                    .wouldBlock,
                    "another thread is waiting to encode a frame, and the callback has encoded \(state.overtaking) meanwhile; "
                        + "try again later")
            }
            let room = isInCallback ? SessionState.roomFromCallback : SessionState.roomForFrames
            if state.occupied >= room {
                guard !doNotWait && !isInCallback else {
                    throw NaluError(
                        .wouldBlock,
                        "\(state.occupied) frames are waiting for the encoder, which is the limit; try again later")
                }
                return false
            }
        }
        // A thread that begins a pass stays in the intake until the session's thread, and so the callback, has
        // answered.
        if isInCallback, case .begin = state.passRequest {
            throw NaluError(
                .wouldBlock, "another thread is beginning a pass, and a callback cannot wait for that; try again later")
        }
        return !state.intakeIsBusy
    }

    func leaveIntake(tookRoom: Bool) {
        try? monitor.locked { state in
            state.intakeIsBusy = false
            if tookRoom { state.occupied -= 1 }
            monitor.wake(.room)
        }
    }

    /// Whether encode of the frame must still wait. With MaxFrameDelayCount M, or M = 0 with EnableLTR, frame N - M
    /// must have been returned before encode of frame N returns. A wait for an encoder that has all frames and keeps them
    /// would not end.
    private static func isDelayed(_ number: UInt64, _ state: SessionState) -> Bool {
        if state.workerIsIdle && state.queue.isEmpty { return false }
        guard let configuration = state.open?.setup.configuration else { return false }
        let delay = configuration.enableLTR ? 0 : configuration.maxFrameDelayCount
        guard delay >= 0, number >= UInt64(delay) else { return false }
        return state.ledger.oldest <= number - UInt64(delay)
    }

    // MARK: Completing and ending

    func complete(until time: MediaTime) throws(NaluError) {
        try refuseInCallback("complete_frames")
        try awaitWorker { () throws(NaluError) in
            let target = try monitor.locked { state throws(NaluError) -> UInt64 in
                if state.isInvalid { throw Self.invalidError }
                state.multiPass?.stopTaking()
                let target = time.isNumeric ? state.ledger.accepted(upTo: time) : state.ledger.accepted
                state.flushTarget = max(state.flushTarget, target)
                monitor.wake(.work)
                return target
            }
            try monitor.wait(for: .progress) { state throws(NaluError) -> Void? in
                // Checked first: invalidate has returned the frames too, but as dropped ones.
                if state.isInvalid { throw Self.invalidError }
                return state.ledger.oldest >= target ? () : nil
            }
        }
    }

    /// Ends the session. `isRelease` is true if the handle is being released. A release is allowed inside the callback,
    /// and does not wait there.
    func invalidate(isRelease: Bool = false) throws(NaluError) {
        try invalidate(isRelease: isRelease, as: "invalidate")
    }

    /// Forgets the handler and notifies the client, after the last callback. Called outside the lock, because both
    /// belong to the client.
    static func releaseHandler(_ monitor: Monitor<SessionState>) {
        let things = try? monitor.locked { state in
            defer {
                state.outputHandler = nil
                state.onFinish = nil
                state.staging = []
                state.multiPass = nil
            }
            return (state.outputHandler, state.onFinish, state.staging, state.multiPass?.storage)
        }
        things?.3?.release()
        things?.1?()
    }

    var lastError: String {
        (try? monitor.locked { $0.lastError }) ?? ""
    }

    /// The statistics, also of a session that has ended.
    var statistics: SessionStatistics {
        var result = SessionStatistics()
        try? monitor.locked { state in
            result = state.statistics
            result.acceptedFrames = state.ledger.accepted
            result.pendingFrames = UInt64(state.ledger.pending)
        }
        return result
    }

    /// The pool; nil if the session is invalid, or memory is missing.
    var pixelBufferPool: PixelBufferPool? {
        try? monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            if let pool = state.pool { return pool }
            let pool = try PixelBufferPool(
                format: sourceFormat ?? encoder.traits.input.usual, width: width, height: height)
            state.pool = pool
            return pool
        }
    }
}
