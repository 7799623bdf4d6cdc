/// The part of a session's configuration for x265 alone: the properties `x265.…`.
struct X265Configuration: EncoderOptions {
    var preset: String?

    var adviceForFrameQP: String { "unset AverageBitRate and DataRateLimits, so that the encoder holds a quality" }
    var summary: String { "x265.preset \"\(preset ?? "")\"" }
    var leastDelayForReordering: Int { 8 }

    func leavesQPToFrames(in configuration: SessionConfiguration) -> Bool {
        let rate = configuration.live.rate
        return rate.averageBitRate == 0 && rate.limits.isEmpty
    }

    /// Every preset of x265 has B-frames: the fastest one in a fixed pattern.
    func reordersFrames(where mayReorder: Bool) -> Bool { mayReorder }

    func checkConflicts(with configuration: SessionConfiguration) throws(NaluError) {
        let derived = configuration.derivedX265Preset
        if configuration.prioritizeEncodingSpeedOverQuality == true, let preset, preset != derived {
            throw NaluError(
                .conflict,
                "PrioritizeEncodingSpeedOverQuality true means x265.preset \"\(derived)\", and "
                    + "\"\(preset)\" is set; unset one of them")
        }
    }
}

extension SessionConfiguration {
    /// The options of x265; none of them is set if the session has another encoder.
    var x265: X265Configuration {
        get { own as? X265Configuration ?? X265Configuration() }
        set { own = newValue }
    }

    /// The preset that is set, or the derived one.
    var x265Preset: String { x265.preset ?? derivedX265Preset }

    /// The preset if none is set.
    var derivedX265Preset: String {
        if realTime == true { return prioritizeEncodingSpeedOverQuality == true ? "ultrafast" : "superfast" }
        return prioritizeEncodingSpeedOverQuality == true ? "superfast" : "medium"
    }
}
