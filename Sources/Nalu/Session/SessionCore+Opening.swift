/// The opening of the session's encoder.
extension SessionCore {
    /// Opens the encoder without the lock, and keeps it if the properties have not changed meanwhile.
    func open(
        _ configuration: SessionConfiguration, _ passes: MultiPass?, _ firstFormat: PixelFormat?,
        _ firstTimescale: Int32?
    ) throws(NaluError) {
        try configuration.checkConflicts()
        try configuration.checkComplete()
        let rateControl = RateControl(
            configuration, takesLiveRate: self.encoder.traits.takesLiveRate,
            followsRateAtOnce: self.encoder.traits.followsRateAtOnce)
        let format = sourceFormat ?? firstFormat ?? self.encoder.traits.input.usual
        var decided = configuration
        decided.outputBitDepth = configuration.bitDepth(of: format)
        var setup = EncoderSetup(
            geometry: geometry(configuration), isFullRange: format.is420 && format.isFullRange,
            chromaIsCentred: format.isRGB, configuration: decided,
            rate: passes?.plan(configuration.live.rate, rateControl)
                ?? rateControl.plan(configuration.live.rate),
            ticksPerSecond: Self.ticks(firstTimescale), pass: passes?.encoderPass, input: self.encoder.traits.input)
        setup.vbvFill = rateControl.fill(of: setup.rate.vbvBuffer, configuration.live.rate)
        let encoder = try self.encoder.open(setup)
        try Self.check(delay: encoder.delay, configuration)
        if let share = configuration.baseLayerBitRateFraction, let reason = encoder.reasonAgainstQPOffsets {
            throw NaluError(.conflict, "BaseLayerBitRateFraction \(share) needs QP offsets, but \(reason)")
        }
        let open = SessionState.OpenEncoder(
            setup: setup, rateControl: rateControl, encoder: encoder,
            target: try PictureTarget(setup, encoder.formatDescription))
        let worker = SessionWorker(monitor: monitor, encoder: encoder, open: open, openEncoder: self.encoder.open)
        let effective = encoder.effectiveParameters
        try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            guard !Self.needsOpening(from: configuration, to: state.configuration) else { return }
            let opening = state.opening + 1
            state.worker = try WorkerThread.start(of: identity) { worker.run(opening: opening) }
            state.opening = opening
            state.phase = .encoding(open)
            state.multiPass?.encoderIsFresh = true
            state.effectiveParameters = effective
        }
    }

    private static func check(delay: Int, _ configuration: SessionConfiguration) throws(NaluError) {
        let limit = configuration.maxFrameDelayCount
        guard limit < 0 || delay <= limit else {
            throw NaluError(
                .conflict,
                "MaxFrameDelayCount is \(limit), but \(configuration.own.summary) makes the encoder delay \(delay) frames"
            )
        }
    }

    /// Ticks per second: a multiple of the first frame's timescale if possible, so that its times stay exact. Ticks are
    /// fine enough for any cadence. They are no finer than a microsecond, because encoders multiply them with bits
    /// in 64-bit arithmetic.
    private static func ticks(_ timescale: Int32?) -> Int32 {
        guard let timescale, timescale > 0 else { return 90_000 }
        if timescale >= 1_000_000 { return 1_000_000 }
        return timescale >= 90_000 ? timescale : timescale * ((90_000 + timescale - 1) / timescale)
    }
}
