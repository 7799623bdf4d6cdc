/// The part of a session's configuration for x264 alone: the properties `x264.…`.
struct X264Configuration: EncoderOptions {
    var preset: String?
    var tune: String?
    var options = X264Options()

    /// The tunes. Any of x264's delimiters separates them.
    var tunes: [String] {
        (tune ?? "").split { ",./-+".contains($0) }.map { String($0) }
    }

    var settingWithoutDelay: String? { tunes.contains("zerolatency") ? "x264.tune \"zerolatency\"" : nil }
    var ownsRate: Bool { options.ownsRate }
    var leavesQPToFrames: Bool { options.leavesQPToFrames }
    var adviceForFrameQP: String {
        "set x264.params to \"crf=23\" or similar, without another option of rate control"
    }
    var ownsKeyFrames: Bool { options.contains("keyint") }
    var summary: String { "x264.params \"\(NaluError.excerpt(options.text))\"" }

    /// An option overrides what the session's properties allow.
    func reordersFrames(where mayReorder: Bool) -> Bool {
        if let option = options.options.last(where: { $0.name == "bframes" }) {
            return option.isOn
        }
        return mayReorder && preset != "ultrafast"
    }

    func checkConflicts(with configuration: SessionConfiguration) throws(NaluError) {
        try configuration.checkPreset(.x264Preset, preset, derived: configuration.derivedX264Preset)
        try options.checkConflicts(with: configuration)
    }
}

extension SessionConfiguration {
    /// The options of x264; none of them is set if the session has another encoder.
    var x264: X264Configuration {
        get { own as? X264Configuration ?? X264Configuration() }
        set { own = newValue }
    }

    /// The preset that is set, or the derived one.
    var x264Preset: String {
        x264.preset ?? derivedX264Preset
    }

    /// The preset if none is set.
    var derivedX264Preset: String {
        if prioritizeEncodingSpeedOverQuality == true { return realTime == true ? "superfast" : "veryfast" }
        return realTime == true ? "veryfast" : "medium"
    }
}
