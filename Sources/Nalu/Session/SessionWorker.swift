/// The worker's side of a session: removes frames from the queue, encodes them, and delivers the results.
///
/// `@unchecked Sendable`: the thread that opens the encoder creates the worker, and only the worker thread uses it from
/// then on. The two sides share only ``SessionState``.
final class SessionWorker: @unchecked Sendable {
    private let monitor: Monitor<SessionState>
    private let openEncoder: @Sendable (EncoderSetup) throws(NaluError) -> any VideoEncoder
    private let open: SessionState.OpenEncoder
    /// The settings with which the encoder is reopened.
    private var setup: EncoderSetup
    /// The encoder; nil after it was drained or has failed. The next frame reopens it.
    private var encoder: (any VideoEncoder)?
    /// The frames inside the encoder, in no order.
    private var inside: [FrameRecord] = []
    private var policy: KeyFramePolicy
    private var timeline: DecodeTimeline
    private var rates: RatePlanner
    private var samples: SampleMaker
    /// The recovery from loss; nil without EnableLTR.
    private var lossRecovery: LossRecovery?
    private var publishedParameters: String
    private var statistics = StatisticsCollector()
    private var governor: Governor
    private var dataRateGuard: DataRateGuard
    /// The running pass, if there are several; otherwise nil.
    private var pass: EncoderPass?

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
        governor = Governor(
            lastStep: open.setup.configuration.realTime == true ? encoder.lastAnalysisStep : 0)
        let configuration = open.setup.configuration
        policy = KeyFramePolicy(
            countsWhenUnset: !configuration.x264.ownsKeyFrames && !configuration.recovers,
            limit: configuration.enableLTR ? 1 << encoder.formatDescription.sequence.frameNumberBits : .max)
        timeline = DecodeTimeline(reorderDepth: encoder.reorderDepth)
        pass = open.setup.pass
        if configuration.enableLTR {
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
            if state.isInvalid { return .finish }
            if state.taken >= state.flushTarget && state.ledger.oldest < state.flushTarget { return .empty }
            guard let frame = state.queue.popFirst() else {
                guard let request = state.passRequest, state.passAnswer == nil else { return nil }
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
        var picture: EncodedPicture?
        var failure: NaluError?
        do throws(NaluError) {
            let reopened = encoder == nil
            let encoder = try usableEncoder()
            let refresh = recover(frame.recovery)
            policy.advance(to: record.presentationTime)
            let mustBeIDR =
                dataRateGuard.mustBeKey(number: record.number) || frame.forceKeyFrame || reopened
                || refresh == .keyFrame
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
            request.beginIntraRefresh = frame.recovery?.beginIntraRefresh == true
            let frameRate = frame.live.governsSpeed ? frame.live.rate.expectedFrameRate : 0
            if frameRate == 0 { governor.reset() }
            request.analysisStep = governor.step
            picture = try encoder.encode(request)
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
        let output = picture.flatMap { makeOutput($0) }
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

    /// Drains the encoder if the QP bounds have changed, because x264 keeps its bounds as long as it runs. The next
    /// frame reopens it. Returns false if the session was invalidated meanwhile.
    private func adopt(_ bounds: QPBounds) -> Bool {
        guard bounds != setup.configuration.live.qpBounds else { return true }
        setup.configuration.live.qpBounds = bounds
        guard encoder != nil else { return true }
        empty()
        return encoder == nil
    }

    private func usableEncoder() throws(NaluError) -> any VideoEncoder {
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

    private func publishParameters() {
        guard let encoder, encoder.effectiveParameters != publishedParameters else { return }
        publishedParameters = encoder.effectiveParameters
        let text = publishedParameters
        try? monitor.locked { $0.effectiveParameters = text }
    }

    // MARK: Passes

    private func answer(_ request: PassRequest) {
        var answer = Result<Void, NaluError>.success(())
        switch request {
        case .begin(let pass, let plan):
            answer = Result { () throws(NaluError) in try begin(pass, plan) }
        case .end:
            empty()
            encoder = nil
        }
        try? monitor.locked { state in
            state.passAnswer = answer
            monitor.wake(.progress)
        }
    }

    private func begin(_ pass: EncoderPass, _ plan: RatePlan) throws(NaluError) {
        setup.pass = pass
        setup.rate = plan
        // Inside a pass, the encoder would not be reopened.
        (encoder, self.pass) = (nil, nil)
        rates.begin(pass: plan)
        dataRateGuard = DataRateGuard(seams: SeamGuard(open.setup.configuration))
        timeline = DecodeTimeline(reorderDepth: try usableEncoder().reorderDepth)
        self.pass = pass
        policy = KeyFramePolicy(countsWhenUnset: !open.setup.configuration.x264.ownsKeyFrames)
        samples.beginPass(of: open)
        publishParameters()
    }

    // MARK: Draining

    /// Delivers every frame that the encoder holds. The encoder cannot be used afterwards.
    private func empty() {
        do throws(NaluError) {
            while let encoder {
                if let rate = rates.planAgain(inside: inside) { try encoder.retune(rate) }
                guard let picture = try encoder.drain() else { break }
                let output = makeOutput(picture)
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

    private func makeOutput(_ picture: EncodedPicture) -> Output? {
        guard let index = inside.firstIndex(where: { $0.number == picture.token }) else { return nil }
        inside.swapAt(index, inside.count - 1)
        let record = inside.removeLast()
        let reference = lossRecovery?.note(
            number: record.number, isKeyFrame: picture.isKeyFrame, isIntra: picture.isIntra)
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
        guard
            unsafe dataRateGuard.admits(
                number: record.number, bytes: sample.data.count, time: decodeTime.seconds,
                isKeyFrame: picture.isKeyFrame, isReference: picture.isReference, limits: record.limits)
        else {
            samples.takeBack(to: numberingBefore)
            lossRecovery?.drop(record.number)
            return (record, .ok, .frameDropped, nil)
        }
        rates.note(
            frame: record.number, bits: Double(unsafe sample.data.count * 8), time: decodeTime.seconds,
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
