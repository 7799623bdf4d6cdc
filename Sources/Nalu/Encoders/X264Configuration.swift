/// The part of a session's configuration that x264 alone has: the properties `x264.…`.
struct X264Configuration: Hashable, Sendable {
    var preset: String?
    var tune: String?
    var options = X264Options()

    /// The tunes are separated by any of x264's delimiters.
    var tunes: [String] {
        (tune ?? "").split { ",./-+".contains($0) }.map { String($0) }
    }

    /// Tuned for no lookahead, no B-frames, no frame held back.
    var isTunedForNoDelay: Bool { tunes.contains("zerolatency") }

    /// The options decide the rate, in place of the session's properties.
    var ownsRate: Bool { options.ownsRate }
    /// A frame may bring a QP of its own.
    var leavesQPToFrames: Bool { options.leavesQPToFrames }
    /// The options decide how far key frames are apart.
    var ownsKeyFrames: Bool { options.contains("keyint") }

    /// Whether the stream will hold B-frames, where the session's properties allow them or not.
    func reordersFrames(where mayReorder: Bool) -> Bool {
        if let option = options.options.last(where: { $0.name == "bframes" }) {
            return option.isOn
        }
        return mayReorder && preset != "ultrafast"
    }
}

extension SessionConfiguration {
    /// The preset that is set, or else the derived one.
    var x264Preset: String {
        x264.preset ?? derivedX264Preset
    }

    /// The preset where none is set.
    var derivedX264Preset: String {
        if prioritizeEncodingSpeedOverQuality == true { return realTime == true ? "superfast" : "veryfast" }
        return realTime == true ? "veryfast" : "medium"
    }

    /// Part of ``checkConflicts()``.
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
