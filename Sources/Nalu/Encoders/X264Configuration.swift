/// The part of a session's configuration for x264 alone: the properties `x264.…`.
struct X264Configuration: Hashable, Sendable {
    var preset: String?
    var tune: String?
    var options = X264Options()

    /// The tunes. Any of x264's delimiters separates them.
    var tunes: [String] {
        (tune ?? "").split { ",./-+".contains($0) }.map { String($0) }
    }

    /// Whether the tune forbids lookahead, B-frames and delayed frames.
    var isTunedForNoDelay: Bool { tunes.contains("zerolatency") }

    /// Whether the options set the rate, in place of the session's properties.
    var ownsRate: Bool { options.ownsRate }
    /// Whether a frame may have a QP of its own.
    var leavesQPToFrames: Bool { options.leavesQPToFrames }
    /// Whether the options set the distance of key frames.
    var ownsKeyFrames: Bool { options.contains("keyint") }

    /// True if the stream will have B-frames. `mayReorder` is what the session's properties allow; an option overrides
    /// it.
    func reordersFrames(where mayReorder: Bool) -> Bool {
        if let option = options.options.last(where: { $0.name == "bframes" }) {
            return option.isOn
        }
        return mayReorder && preset != "ultrafast"
    }
}

extension SessionConfiguration {
    /// The preset that is set, or the derived one.
    var x264Preset: String {
        x264.preset ?? derivedX264Preset
    }

    /// The preset if none is set.
    var derivedX264Preset: String {
        if prioritizeEncodingSpeedOverQuality == true { return realTime == true ? "superfast" : "veryfast" }
        return realTime == true ? "veryfast" : "medium"
    }

    /// Checks the x264 properties; part of ``checkConflicts()``.
    func checkX264() throws(NaluError) {
        if prioritizeEncodingSpeedOverQuality == true, let preset = x264.preset, preset != derivedX264Preset {
            throw NaluError(
                .conflict,
                "PrioritizeEncodingSpeedOverQuality true means x264.preset \"\(derivedX264Preset)\", and "
                    + "\"\(preset)\" is set; unset one of them")
        }
        try x264.options.checkConflicts(with: self)
    }
}
