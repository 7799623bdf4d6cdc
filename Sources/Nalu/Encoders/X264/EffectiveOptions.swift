/// The effect of the client's options. x264 silently changes options that it cannot use.
struct EffectiveOptions {
    private let asked: [String: String]
    private let effective: [String: String]

    /// - Parameters:
    ///   - asked: the description of the parameters directly after the options were applied.
    ///   - effective: the description of the parameters that x264 runs with.
    init(asked: String, effective: String) {
        self.asked = Self.values(asked)
        self.effective = Self.values(effective)
    }

    private static func values(_ text: String) -> [String: String] {
        var values: [String: String] = [:]
        for part in text.split(separator: ":") {
            let pair = part.split(separator: "=", maxSplits: 1)
            let option = X264Options.Option(spelling: String(pair[0]), value: pair.count == 2 ? String(pair[1]) : nil)
            values[option.name] = option.value
        }
        return values
    }

    /// Throws for the first option without effect, or with another effect than its value states.
    func check(_ options: X264Options) throws(NaluError) {
        for option in options.options where Self.compared.contains(option.name) {
            guard let wanted = asked[option.name] else {
                guard option.isOn, option.value != "none" else { continue }
                throw NaluError(
                    .conflict,
                    "x264.params \"\(option.spelling)\" has no effect, because x264 ignores it with the other settings; "
                        + "leave it out")
            }
            let found = effective[option.name]
            guard found != wanted, !isWorkedOut(option.name, wanted) else { continue }
            let made = found.map { "changes it to \"\($0)\"" } ?? "ignores it"
            throw NaluError(
                .conflict,
                "x264.params \"\(option.spelling)\" is \"\(NaluError.excerpt(option.value ?? wanted))\", and with the other "
                    + "settings x264 \(made); use a value that x264 keeps, or leave it out")
        }
    }

    /// Whether the option leaves the value to x264, or x264's value means the same.
    private func isWorkedOut(_ name: String, _ wanted: String) -> Bool {
        switch name {
        // The macroblock tree needs the mode, and then uses a strength of 0.
        case "aq-mode": wanted == "0" && effective["aq-strength"] == "0"
        // x264 uses at most half of keyint plus one. For groups of a fixed size, clients usually set both options to
        // the same value.
        case "min-keyint": wanted == "0" || (effective[name].flatMap { Int($0) } ?? .max) < (Int(wanted) ?? 0)
        // The level may hold fewer references.
        case "ref": (effective[name].flatMap { Int($0) } ?? .max) < (Int(wanted) ?? 0)
        // A number of kilobits becomes a fraction of the VBV buffer, which holds at least one frame.
        case "vbv-init": effective[name] != nil
        case "mvrange": wanted.hasPrefix("-") || wanted == "0"
        // There may be only one processor.
        case "sync-lookahead":
            wanted.hasPrefix("-") || (asked["sliced-threads"] == "0" && asked["threads"] != "1")
        default: false
        }
    }

    /// The options whose effects are compared. Numbers of threads are left out, as they are upper bounds; so are
    /// descriptions of the stream, which x264 writes unchanged.
    private static let compared: Set<String> = [
        "8x8dct", "aq-mode", "aq-strength", "aud", "b-adapt", "b-bias", "b-pyramid", "bframes", "bitrate", "cabac",
        "cabac-idc", "chroma-me", "constrained-intra", "cplxblur", "crf", "crf-max", "dct-decimate", "deadzone-inter",
        "deadzone-intra", "deblock", "direct", "dpb-size", "fast-pskip", "filler", "frame-packing", "ipratio", "keyint",
        "mbtree", "me", "merange", "min-keyint", "mixed-refs", "mvrange", "nal-hrd", "nr", "partitions", "pbratio",
        "psy",
        "psy-rd", "qblur", "qcomp", "qp", "qpmax", "qpmin", "qpstep", "ratetol", "rc-lookahead", "ref", "scenecut",
        "slice-max-mbs", "slice-max-size", "slice-min-mbs", "slices", "slices-max", "sps-id", "subme", "sync-lookahead",
        "trellis", "vbv-bufsize", "vbv-init", "vbv-maxrate", "weightb", "weightp",
    ]
}
