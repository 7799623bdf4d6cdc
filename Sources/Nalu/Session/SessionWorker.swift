/// The worker's side of a session: removes frames from the queue, encodes them, and delivers the results.
///
/// `@unchecked Sendable`: the thread that opens the encoder creates the worker, and only the worker thread uses it from
/// then on. The two sides share only ``SessionState``.
final class SessionWorker: @unchecked Sendable {
    let monitor: Monitor<SessionState>
    private let openEncoder: @Sendable (EncoderSetup) throws(NaluError) -> any VideoEncoder
    let open: SessionState.OpenEncoder
    /// The settings with which the encoder is reopened.
    var setup: EncoderSetup
    /// The encoder; nil after it was drained or has failed. The next frame reopens it.
    var encoder: (any VideoEncoder)?
    /// The frames inside the encoder, in no order.
    private var inside: [FrameRecord] = []
    var policy: KeyFramePolicy
    var timeline: DecodeTimeline
    var rates: RatePlanner
    var samples: SampleMaker
    /// The references of the encoder; nil without EnableLTR and temporal layers.
    private var lossRecovery: LossRecovery?
    /// The temporal layers; nil if the stream has only one.
    private var layers: TemporalLayers?
    private var publishedParameters: String
    private var statistics = StatisticsCollector()
    private var governor: Governor
    var dataRateGuard: DataRateGuard
    /// The number of the last frame that was forced to be a key frame, and whether the encoder has dropped it.
    private var lastForcedKey: (number: UInt64, isDropped: Bool)?
    /// The running pass, if there are several; otherwise nil.
    var pass: EncoderPass?

    init(
        monitor: Monitor<SessionState>, encoder: any VideoEncoder, open: SessionState.OpenEncoder,
        openEncoder: @escaping @Sendable (EncoderSetup) throws(NaluError) -> any VideoEncoder
    ) {
        self.monitor = monitor
        self.encoder = encoder
        self.open = open
        setup = open.setup
        self.openEncoder = openEncoder
        rates = RatePlanner(open)
        dataRateGuard = DataRateGuard(
            channel: open.rateControl.channel, seams: SeamGuard(open.setup.configuration),
            forgetsPictures: encoder.forgetsPictures)
        samples = SampleMaker(open, encoder: encoder)
        publishedParameters = encoder.effectiveParameters
        governor = Governor(lastStep: open.setup.configuration.realTime == true ? encoder.lastAnalysisStep : 0)
        let configuration = open.setup.configuration
        policy = KeyFramePolicy(
            countsWhenUnset: !configuration.own.ownsKeyFrames && !configuration.recovers,
            limit: configuration.enableLTR ? 1 << encoder.formatDescription.sequence.frameNumberBits : .max)
        timeline = DecodeTimeline(reorderDepth: encoder.reorderDepth)
        pass = open.setup.pass
        layers =
            encoder.hasOwnLayers
            ? nil : TemporalLayers(configuration, takesOffsets: open.reasonAgainstQPOffsets == nil)
        if configuration.enableLTR || layers != nil {
            lossRecovery = LossRecovery(capacity: encoder.heldReferences)
        }
        inside.reserveCapacity(64)
    }

    private enum Step {
        case close
        case encode(QueuedFrame)
        case empty
        case pass(PassRequest)
        case finish
    }

    /// Runs until the session ends, or until another worker has the session's encoder. This is the body of the thread.
    func run(opening: Int) {
        while true {
            switch nextStep(opening) {
            case .close:
                close()
                return
            case .encode(let frame): encode(frame)
            case .empty: empty()
            case .pass(let request): answer(request)
            case .finish:
                finish()
                return
            }
        }
    }

    private func nextStep(_ opening: Int) -> Step {
        // The closure itself throws nothing.
        let step = try? monitor.wait(for: .work) { state throws(NaluError) -> Step? in
            if state.opening != opening { return .close }
            state.workerIsIdle = false
            if state.isInvalid { return .finish }
            if state.taken >= state.flushTarget && state.ledger.oldest < state.flushTarget { return .empty }
            guard let frame = state.queue.popFirst() else {
                guard let request = state.passRequest, state.passAnswer == nil else {
                    state.workerIsIdle = true
                    monitor.wake(.progress)
                    return nil
                }
                return .pass(request)
            }
            state.taken += 1
            return .encode(frame)
        }
        return step ?? .finish
    }

    /// The properties have changed before the first frame: another worker has the next encoder.
    private func close() {
        encoder = nil
        statistics = StatisticsCollector()
        try? monitor.locked { state in
            state.closing -= 1
            monitor.wake(.progress)
        }
    }

    // MARK: Encoding

    private func encode(_ frame: consuming QueuedFrame) {
        let record = frame.record
        guard adopt(frame.live.qpBounds) else {
            // The session was invalidated meanwhile: the frame is returned with those inside the encoder.
            inside.append(record)
            recycle(frame)
            return
        }
        var result: EncoderOutput?
        var failure: NaluError?
        do throws(NaluError) {
            let reopened = encoder == nil
            let encoder = try usableEncoder()
            let refresh = recover(frame.recovery)
            policy.advance(to: record.presentationTime)
            let mustBeIDR =
                dataRateGuard.mustBeKey(number: record.number) || frame.forceKeyFrame || reopened
                || refresh == .keyFrame || lastForcedKey?.isDropped == true
            let isKey =
                mustBeIDR
                || policy.mustBeKey(
                    number: record.number, time: record.presentationTime, duration: record.duration,
                    settings: frame.live.keyFrames)
            let mayBeRecoveryPoint =
                !mustBeIDR && open.setup.configuration.allowOpenGOP
                && policy.mayBeRecoveryPoint(settings: frame.live.keyFrames)
            inside.append(record)
            if isKey {
                lastForcedKey = (record.number, false)
                policy.noteKey(number: record.number, time: record.presentationTime)
            }
            let rate = rates.plan(frame.live.rate, for: record, inside: inside)
            if rates.retunes { try encoder.retune(rate) }
            let start = MonotonicClock.seconds
            var request = EncoderFrame(
                pixels: frame.buffer.view, presentationTime: record.presentationTime, token: record.number,
                // A later pass has the frame types of the first pass.
                forceKeyFrame: isKey && pass?.isFirst != false, mayBeRecoveryPoint: mayBeRecoveryPoint,
                baseQP: frame.baseQP,
                qpOffsets: frame.qpOffsets, rate: rate)
            if case .forget(let token) = refresh, !isKey { request.forgetFrom = token }
            request.qpOffset = isKey ? 0 : layers?.nextOffset ?? 0
            request.beginIntraRefresh = frame.recovery?.beginIntraRefresh == true
            let frameRate = frame.live.governsSpeed ? frame.live.rate.expectedFrameRate : 0
            if frameRate == 0 { governor.reset() }
            request.analysisStep = governor.step
            result = try encoder.encode(request)
            let seconds = MonotonicClock.seconds - start
            statistics.noteEncode(seconds: seconds)
            governor.note(seconds: seconds, frameRate: frameRate)
            timeline.accept(record.presentationTime, duration: record.duration)
        } catch {
            failure = error
            if !inside.contains(where: { $0.number == record.number }) {
                inside.append(record)
            }
        }
        // The picture's bytes are valid until the next call of the encoder, so they are copied into a sample first.
        let output = result.flatMap { makeOutput($0) }
        recycle(frame)
        publishParameters()
        if let failure {
            fail(failure)
        } else if let output {
            deliver(output)
        }
    }

    private func recover(_ request: RecoveryRequest?) -> LossRecovery.Refresh {
        if let request { lossRecovery?.acknowledge(request.acknowledged) }
        return lossRecovery?.next(isRefresh: request?.forceRefresh == true) ?? .nothing
    }

    /// Drains the encoder if the QP bounds have changed, because an encoder keeps its bounds as long as it runs. The next
    /// frame reopens it. Returns false if the session was invalidated meanwhile.
    private func adopt(_ bounds: QPBounds) -> Bool {
        guard bounds != setup.configuration.live.qpBounds else { return true }
        setup.configuration.live.qpBounds = bounds
        guard encoder != nil else { return true }
        empty()
        return encoder == nil
    }

    func usableEncoder() throws(NaluError) -> any VideoEncoder {
        if let encoder { return encoder }
        guard pass == nil else {
            throw NaluError(.encoderMalfunction, "the encoder failed earlier in this pass; begin the pass again")
        }
        setup.vbvFill = dataRateGuard.channel?.fill ?? rates.fill(of: setup.rate.vbvBuffer)
        let again = try openEncoder(setup)
        dataRateGuard.encoderWasOpened()
        encoder = again
        samples.encoderWasOpened(again.formatDescription)
        return again
    }

    /// Releases the frame's buffer: its pixels are no longer needed.
    private func recycle(_ frame: consuming QueuedFrame) {
        try? monitor.locked { state in
            state.occupied -= 1
            state.statistics = statistics.values
            state.governorStep = governor.step
            if frame.isStaging {
                state.staging.append(frame.buffer)
            }
            // Waking the client for each free place would double the cost of a small frame.
            if state.occupied <= 1 {
                monitor.wake(.room)
            }
        }
    }

    func publishParameters() {
        guard let encoder, encoder.effectiveParameters != publishedParameters else { return }
        publishedParameters = encoder.effectiveParameters
        let text = publishedParameters
        try? monitor.locked { $0.effectiveParameters = text }
    }

    // MARK: Draining

    /// Delivers every frame that the encoder holds. The encoder cannot be used afterwards.
    func empty() {
        do throws(NaluError) {
            while let encoder {
                if let rate = rates.planAgain(inside: inside) { try encoder.retune(rate) }
                guard let result = try encoder.drain() else { break }
                let output = makeOutput(result)
                publishParameters()
                if let output {
                    deliver(output)
                }
                if (try? monitor.locked({ $0.isInvalid })) == true { return }
            }
            if !inside.isEmpty {
                throw NaluError(
                    .encoderMalfunction, "the encoder was emptied and did not return \(inside.count) frames")
            }
            encoder = nil
        } catch {
            fail(error)
        }
    }

    /// Returns every frame inside the encoder with the encoder's error.
    private func fail(_ error: NaluError) {
        encoder = nil
        if inside.isEmpty { return }
        try? monitor.locked { $0.lastError = error.message }
        inside.sort { $0.number < $1.number }
        for record in inside { timeline.lose(record.presentationTime) }
        for _ in inside { rates.noteLoss() }
        while !inside.isEmpty {
            deliver((inside.removeFirst(), error.status, [], nil))
        }
    }

    // MARK: Delivering

    private typealias Output = (record: FrameRecord, status: Status, flags: EncodeInfoFlags, sample: Sample?)

    private func makeOutput(_ result: EncoderOutput) -> Output? {
        switch result {
        case .picture(let picture): return leave(picture.token).map { makeOutput(picture, of: $0) }
        case .dropped(let token):
            guard let record = leave(token) else { return nil }
            timeline.lose(record.presentationTime)
            rates.noteLoss()
            dataRateGuard.encoderDropped(token)
            if lastForcedKey?.number == token { lastForcedKey?.isDropped = true }
            return (record, .ok, .frameDropped, nil)
        }
    }

    /// Removes a frame from those inside the encoder.
    private func leave(_ token: UInt64) -> FrameRecord? {
        guard let index = inside.firstIndex(where: { $0.number == token }) else { return nil }
        inside.swapAt(index, inside.count - 1)
        return inside.removeLast()
    }

    private func makeOutput(_ encoded: EncodedPicture, of record: FrameRecord) -> Output {
        var picture = encoded
        let reference = lossRecovery?.note(
            number: record.number, isKeyFrame: picture.isKeyFrame, isIntra: picture.isIntra)
        if let isBase = layers?.note(isIntra: picture.isIntra) {
            picture.isReference = isBase
            if !isBase { lossRecovery?.drop(record.number) }
        }
        // An intra refresh does not count as a key frame.
        if picture.isKeyFrame || picture.isRecoveryPoint && open.setup.configuration.allowOpenGOP {
            policy.noteKey(number: record.number, time: record.presentationTime)
        }
        let decodeTime = timeline.next(presentation: record.presentationTime)
        let numberingBefore = samples.idrNumbering
        let sample: Sample
        do throws(NaluError) {
            sample = try samples.make(picture, of: record, decodeTime: decodeTime, reference: reference)
        } catch {
            return (record, giveUp(error), [], nil)
        }
        let bytes =
            open.setup.configuration.parameterSetsInStream ? sample.annexBSize() : unsafe sample.data.count
        guard
            dataRateGuard.admits(
                number: record.number, bytes: bytes, time: decodeTime.seconds,
                isKeyFrame: picture.isKeyFrame, isReference: picture.isReference, limits: record.limits)
        else {
            samples.takeBack(to: numberingBefore)
            lossRecovery?.drop(record.number)
            return (record, .ok, .frameDropped, nil)
        }
        layers?.note(bits: Double(bytes) * 8, isBase: picture.isReference)
        rates.note(
            frame: record.number, bits: Double(bytes) * 8, time: decodeTime.seconds,
            averageQP: picture.averageQP)
        return (
            record, .ok, [], dataRateGuard.fillerBytes > 0 ? sample.adding(filler: dataRateGuard.fillerBytes) : sample
        )
    }

    /// Closes the encoder, because its picture cannot be used. The next frame opens another one.
    private func giveUp(_ error: NaluError) -> Status {
        encoder = nil
        try? monitor.locked { $0.lastError = error.message }
        rates.noteLoss()
        return error.status
    }

    private func deliver(_ output: Output) {
        // The sample is not retained beyond the handler.
        if let sample = output.sample {
            unsafe statistics.noteSample(
                bytes: sample.data.count, isKeyFrame: sample.isKeyFrame, averageQP: sample.averageQP,
                quality: sample.qualityMetrics, decodeTime: sample.decodeTime.seconds)
        } else {
            statistics.noteLoss(isDrop: output.flags.contains(.frameDropped))
        }
        output.record.handler(
            unsafe EncodedFrame(
                status: output.status, flags: output.flags, sample: output.sample, frameRefcon: output.record.refcon))
        try? monitor.locked { state in
            state.ledger.comeBack(output.record.number)
            state.multiPass?.comeBack(
                output.record.number, bits: output.sample.map { unsafe Double($0.data.count * 8) },
                isKeyFrame: output.sample?.isKeyFrame == true, wasDropped: output.status == .ok)
            state.statistics = statistics.values
            monitor.wake(.progress)
        }
    }

    // MARK: Ending

    /// Ends an invalidated session: returns the pending frames as dropped, and releases what belongs to the client.
    private func finish() {
        encoder = nil
        inside.sort { $0.number < $1.number }
        while !inside.isEmpty {
            deliver((inside.removeFirst(), .invalidSession, .frameDropped, nil))
        }
        while let frame = (try? monitor.locked({ $0.queue.popFirst() })) ?? nil {
            deliver((frame.record, .invalidSession, .frameDropped, nil))
        }
        // The last values have been published. The memory is released before the client is notified, not when the
        // thread ends.
        statistics = StatisticsCollector()
        SessionCore.releaseHandler(monitor)
        try? monitor.locked { state in
            state.workerIsDone = true
            monitor.wake(.progress)
        }
    }
}
