/// The settings that several passes need or exclude.
extension SessionConfiguration {
    /// Checks the settings of passes; part of ``checkConflicts()``.
    func checkPasses() throws(NaluError) {
        if let hint = wholeClipHint, let quality = live.rate.heldQuality {
            throw NaluError(
                .conflict,
                "\(hint) plans the bits of AverageBitRate, and \(live.rate.qualityKey.rawValue) \(quality) is set; unset one "
                    + "of them")
        }
        guard isMultiPass else { return }
        let reason: String? =
            if realTime == true {
                "RealTime true, because live frames arrive only once"
            } else if maxFrameDelayCount == 0 {
                "MaxFrameDelayCount 0, because passes need lookahead"
            } else if let setting = own.settingWithoutDelay {
                "\(setting), because passes need lookahead"
            } else if recovers {
                "\(enableLTR ? "EnableLTR" : "NaluAllowIntraRefresh") true, because passes need lookahead"
            } else if hasTemporalLayers {
                "BaseLayerFrameRateFraction \(baseLayerFrameRateFraction), because passes need lookahead"
            } else if let quality = live.rate.heldQuality {
                "\(live.rate.qualityKey.rawValue) \(quality), because passes aim at AverageBitRate"
            } else if let hint = wholeClipHint {
                "\(hint), because the first pass measures the video's length"
            } else {
                nil
            }
        if let reason {
            throw NaluError(.conflict, "a multi-pass storage cannot be combined with \(reason); unset one of them")
        }
    }

    /// The client's statement of the clip's length, for error messages.
    private var wholeClipHint: String? {
        if sourceFrameCount > 0 { return "SourceFrameCount \(sourceFrameCount)" }
        return expectedDuration > 0 ? "ExpectedDuration \(expectedDuration)" : nil
    }

    /// Throws if a property is missing that may be set later, but must be set when the encoder is opened.
    func checkComplete() throws(NaluError) {
        if let hint = wholeClipHint, live.rate.averageBitRate == 0 {
            throw NaluError(
                .conflict,
                "\(hint) plans the bits of AverageBitRate, which is 0; expected 1000 to 2000000000 bits per second, or no "
                    + "hint")
        }
        if isMultiPass && live.rate.averageBitRate == 0 {
            throw NaluError(
                .conflict,
                "the multi-pass storage needs AverageBitRate, which is 0; expected 1000 to 2000000000 bits per second")
        }
        try checkRateIsComplete()
        try checkLayersAreComplete()
    }

    /// Throws if a change is not allowed after passes have begun: only the rate may change, and only between two
    /// passes.
    func checkChange(to after: SessionConfiguration, isBetweenPasses: Bool) throws(NaluError) {
        var same = after.live
        same.rate.averageBitRate = live.rate.averageBitRate
        guard same == live else {
            throw NaluError(
                .tooLate,
                "with a multi-pass storage all passes have the same properties; set them before begin_pass")
        }
        guard isBetweenPasses || after.live == live else {
            throw NaluError(.tooLate, "AverageBitRate cannot change inside a pass; set it before begin_pass")
        }
        guard (after.live.rate.averageBitRate == 0) == (live.rate.averageBitRate == 0) else {
            throw NaluError(.tooLate, "AverageBitRate cannot become 0 between passes; expected 1000 to 2000000000")
        }
    }
}
