/// The passes of a session over the same frames.
extension SessionWorker {
    func answer(_ request: PassRequest) {
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
        // Ends the former pass: `usableEncoder` opens no encoder inside a pass.
        (encoder, self.pass) = (nil, nil)
        rates.begin(pass: plan)
        dataRateGuard = DataRateGuard(seams: SeamGuard(open.setup.configuration))
        timeline = DecodeTimeline(reorderDepth: try usableEncoder().reorderDepth)
        self.pass = pass
        policy = KeyFramePolicy(countsWhenUnset: !open.setup.configuration.own.ownsKeyFrames)
        samples.beginPass(of: open)
        publishParameters()
    }
}
