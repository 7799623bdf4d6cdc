/// Several passes over the same frames.
extension SessionCore {
    /// Sets the storage; nil removes it.
    func setMultiPassStorage(_ storage: MultiPassStorage?) throws(NaluError) {
        if let storage, try monitor.locked({ $0.multiPass?.storage === storage }) { return }
        if storage != nil, !encoder.traits.hasPasses {
            throw NaluError(
                .conflict, "the multi-pass storage cannot be set, because the encoder \(encoder.id) has no passes")
        }
        try storage?.claim()
        let old: MultiPassStorage?
        let closes: Bool
        do throws(NaluError) {
            try storage?.checkOpen()
            let passes = try storage.map { (storage) throws(NaluError) in
                try MultiPass(storage, width: width, height: height)
            }
            (old, closes) = try monitor.locked { state throws(NaluError) -> (MultiPassStorage?, Bool) in
                if state.isInvalid { throw Self.invalidError }
                let closes = state.isUnused
                guard state.open == nil || closes, state.multiPass?.isUntouched != false else {
                    throw NaluError(
                        .tooLate,
                        "the multi-pass storage cannot change after begin_pass or the first frame; set it before that"
                    )
                }
                var after = state.configuration
                after.isMultiPass = storage != nil
                try after.checkConflicts()
                state.configuration = after
                let old = state.multiPass?.storage
                if closes {
                    state.closeUnused()
                    monitor.wake(.work)
                }
                state.multiPass = passes
                return (old, closes)
            }
        } catch {
            storage?.release()
            throw error
        }
        // The encoder of the old storage writes its statistics when it is closed.
        if closes { try awaitClosing() }
        old?.release()
    }

    /// Begins a pass. `qp` is the QP of a first pass; nil if the encoder chooses it.
    func beginPass(isFinal: Bool, at qp: Double?) throws(NaluError) {
        if let qp, !(Self.firstPassQPs ~= qp) {
            throw NaluError(.outOfRange, "qp is \(qp); expected 1 to 51")
        }
        try awaitWorker { () throws(NaluError) in try enterPass(isFinal: isFinal, at: qp) }
    }

    private static let firstPassQPs = 1.0...51.0

    private func enterPass(isFinal: Bool, at qp: Double?) throws(NaluError) {
        // Only one thread at a time may open the encoder or begin a pass.
        try enterIntake()
        defer { leaveIntake(tookRoom: false) }
        let waits = try monitor.locked { state throws(NaluError) -> Bool in
            if state.isInvalid { throw Self.invalidError }
            guard var passes = state.multiPass else {
                throw NaluError(
                    .outOfOrder, "begin_pass: the session has no storage; expected set_multi_pass_storage before it")
            }
            passes.firstQP = qp
            try passes.checkBegin()
            guard state.passRequest == nil else {
                throw NaluError(.outOfOrder, "begin_pass: another thread begins or ends a pass")
            }
            try state.configuration.checkConflicts()
            try state.configuration.checkComplete()
            guard let open = state.open, !passes.encoderIsFresh || qp != nil else { return false }
            state.passRequest = .begin(passes.encoderPass, passes.plan(state.configuration.live.rate, open.rateControl))
            state.passAnswer = nil
            monitor.wake(.work)
            return true
        }
        try monitor.wait(for: .progress) { state throws(NaluError) -> Void? in
            if waits, try !Self.takeAnswer(&state) { return nil }
            state.multiPass?.begin(isFinal: isFinal, at: qp, firstNumber: state.ledger.accepted)
            state.lastTime = nil
            return ()
        }
    }

    /// Waits until all frames of the pass have been delivered. Returns whether another pass is requested.
    ///
    /// - Parameter isFinal: no pass will follow; the result is then false.
    func endPass(isFinal: Bool) throws(NaluError) -> Bool {
        try refuseInCallback("end_pass")
        return try awaitWorker { () throws(NaluError) in try leavePass(isFinal: isFinal) }
    }

    private func leavePass(isFinal: Bool) throws(NaluError) -> Bool {
        let waits = try monitor.locked { state throws(NaluError) -> Bool in
            if state.isInvalid { throw Self.invalidError }
            guard let passes = state.multiPass else {
                throw NaluError(
                    .outOfOrder, "end_pass: the session has no storage; expected set_multi_pass_storage before it")
            }
            try passes.checkEnd()
            guard state.passRequest == nil else {
                throw NaluError(.outOfOrder, "end_pass: another thread begins or ends a pass")
            }
            state.multiPass?.stopTaking()
            guard state.worker != nil else { return false }
            state.passRequest = .end
            state.passAnswer = nil
            monitor.wake(.work)
            return true
        }
        return try monitor.wait(for: .progress) { state throws(NaluError) -> Bool? in
            if waits, try !Self.takeAnswer(&state) { return nil }
            let control = state.open?.rateControl
            try state.multiPass?.end(state.configuration.live.rate, control, isFinal: isFinal)
            return state.multiPass?.wantsAnother ?? false
        }
    }

    /// Returns false if the session's thread has not answered yet.
    private static func takeAnswer(_ state: inout SessionState) throws(NaluError) -> Bool {
        if state.isInvalid { throw invalidError }
        guard let answer = state.passAnswer else { return false }
        state.passAnswer = nil
        state.passRequest = nil
        try answer.get()
        return true
    }

    /// The frames that the next pass needs: those of the whole video.
    func timeRangesForNextPass() throws(NaluError) -> [(start: MediaTime, duration: MediaTime)] {
        try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            guard let passes = state.multiPass, passes.wantsAnother, let range = passes.timeRange else {
                throw NaluError(
                    .valueNotAvailable, "end_pass has not requested a further pass; expected a call after it has")
            }
            return [range]
        }
    }
}
