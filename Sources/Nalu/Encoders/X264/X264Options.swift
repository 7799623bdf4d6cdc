internal import CX264

/// The value of the `x264.params` property: x264's own options by name, checked when they are set.
struct X264Options: Hashable, Sendable {
    let text: String
    let options: [Option]

    struct Option: Hashable, Sendable {
        /// The one spelling that refusals and conflicts use. x264 also accepts `_` for `-`, `no-x` for `x=0`, and
        /// aliases.
        let name: String
        /// The option name exactly as the client spelled it.
        let spelling: String
        let value: String?

        init(spelling: String, value: String?) {
            self.spelling = spelling
            self.value = value
            let plain = String(spelling.map { $0 == "_" ? "-" : $0 })
            let prefix = ["no-", "no"].first { plain.hasPrefix($0) } ?? ""
            let positive = plain.dropFirst(prefix.count)
            name = X264Options.aliases[String(positive)] ?? String(positive)
        }

        /// Whether the option is enabled: the value is neither false nor 0, or the name is negated and the value is
        /// false or 0.
        var isOn: Bool {
            let isNegated = spelling.hasPrefix("no")
            return ["0", "false", "no"].contains((value ?? "true").lowercased()) == isNegated
        }
    }

    init() {
        text = ""
        options = []
    }

    /// Parses "name=value:name=value". Throws if x264 does not have an option of a name, or does not accept a value.
    init(_ text: String) throws(NaluError) {
        guard !text.utf8.contains(0) else {
            // x264 would stop at the NUL, and read another name or value than the one that is checked.
            throw NaluError(.outOfRange, "x264.params contains a NUL character; expected \"name=value:name=value\"")
        }
        let locale = CLocale()
        defer { locale.leave() }
        var options: [Option] = []
        let scratch = UnsafeMutablePointer<x264_param_t>.allocate(capacity: 1)
        unsafe x264_param_default(scratch)
        defer {
            unsafe x264_param_cleanup(scratch)
            unsafe scratch.deallocate()
        }
        for part in text.split(separator: ":", omittingEmptySubsequences: true) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let option = Option(spelling: String(pair[0]), value: pair.count == 2 ? String(pair[1]) : nil)
            if let reason = Self.refused[option.name] {
                throw NaluError(.outOfRange, "x264.params \"\(option.spelling)\" is not for a session: \(reason)")
            }
            try unsafe Self.parse(option, into: scratch)
            try unsafe Self.checkValue(option, &scratch.pointee)
            options.append(option)
        }
        self.text = text
        self.options = options
    }

    func contains(_ name: String) -> Bool {
        options.contains { $0.name == name }
    }

    /// Applies the options, which were checked when they were set. The caller must have a ``CLocale``.
    func apply(to parameters: UnsafeMutablePointer<x264_param_t>) throws(NaluError) {
        for option in options {
            try unsafe Self.parse(option, into: parameters)
        }
    }

    private static func parse(
        _ option: Option, into parameters: UnsafeMutablePointer<x264_param_t>
    ) throws(NaluError) {
        switch unsafe x264_param_parse(parameters, option.spelling, option.value) {
        case 0: break
        case X264_PARAM_BAD_NAME:
            throw NaluError(
                .outOfRange,
                "x264.params \"\(NaluError.excerpt(option.spelling))\" is not an option of x264 (see `x264 --fullhelp`)"
            )
        case X264_PARAM_BAD_VALUE:
            throw NaluError(
                .outOfRange,
                "x264.params \"\(option.spelling)\": x264 does not accept the value "
                    + "\"\(NaluError.excerpt(option.value ?? ""))\"")
        default:
            throw NaluError(.allocationFailed, "x264.params \"\(option.spelling)\": out of memory")
        }
    }

    /// The options that replace the session's rate control.
    static let rateNames: Set<String> = [
        "bitrate", "crf", "qp", "vbv-maxrate", "vbv-bufsize", "nal-hrd", "ratetol", "crf-max",
    ]

    var ownsRate: Bool { options.contains { Self.rateNames.contains($0.name) } }

    /// Whether x264 runs without a VBV buffer. With one, x264 would change a frame's own QP.
    var leavesQPToFrames: Bool {
        contains("crf") && !options.contains { $0.name != "crf" && Self.rateNames.contains($0.name) }
    }

    /// Throws if an option contradicts a property that states the same, or the profile.
    func checkConflicts(with configuration: SessionConfiguration) throws(NaluError) {
        let rate = configuration.live.rate
        let keyFrames = configuration.live.keyFrames
        for option in options {
            let property: PropertyKey? =
                switch option.name {
                case _ where Self.undoesRecovery(option, configuration):
                    configuration.enableLTR
                        ? .enableLTR : configuration.recovers ? .allowIntraRefresh : .baseLayerFrameRateFraction
                case "qp" where configuration.live.qpBounds.most != nil: .maxAllowedFrameQP
                case "qp" where configuration.live.qpBounds.least != nil: .minAllowedFrameQP
                case _ where Self.rateNames.contains(option.name):
                    rate.averageBitRate > 0
                        ? .averageBitRate
                        : rate.heldQuality != nil
                            ? rate.qualityKey
                            : !rate.limits.isEmpty
                                ? .dataRateLimits
                                : configuration.constantBitRate > 0
                                    ? .constantBitRate : configuration.variableBitRate > 0 ? .variableBitRate : nil
                case "vbv-init": configuration.variableBitRate > 0 ? .vbvInitialDelayPercentage : nil
                case "filler": configuration.constantBitRate > 0 && !option.isOn ? .constantBitRate : nil
                case "keyint": keyFrames.maxInterval > 0 ? .maxKeyFrameInterval : nil
                case "fps", "force-cfr": rate.expectedFrameRate > 0 && option.name == "fps" ? .expectedFrameRate : nil
                case "bframes" where !option.isOn && configuration.allowOpenGOP: .allowOpenGOP
                case "min-keyint": configuration.allowOpenGOP ? .allowOpenGOP : nil
                // x264 has none of these for interlaced frames, and silently continues without them.
                case "weightp" where configuration.isInterlaced && option.isOn: .fieldCount
                case "me" where configuration.isInterlaced && option.value?.contains("esa") == true: .fieldCount
                case "cabac": configuration.entropyMode != nil ? .h264EntropyMode : nil
                case "bframes" where option.isOn && configuration.referenceBufferCount == 1: .referenceBufferCount
                case "bframes": configuration.allowFrameReordering != nil ? .allowFrameReordering : nil
                case "b-pyramid" where ["none", "0"].contains(option.value): nil
                case "b-pyramid": (1..<4).contains(configuration.referenceBufferCount) ? .referenceBufferCount : nil
                case "ref", "dpb-size": configuration.referenceBufferCount > 0 ? .referenceBufferCount : nil
                case "rc-lookahead":
                    configuration.suggestedLookAheadFrameCount != nil ? .suggestedLookAheadFrameCount : nil
                case "aq-mode", "aq-strength":
                    configuration.spatialAdaptiveQPLevel == 0 ? .spatialAdaptiveQPLevel : nil
                case "threads", "lookahead-threads":
                    configuration.maximizePowerEfficiency == true ? .maximizePowerEfficiency : nil
                case "qpmax": configuration.live.qpBounds.most != nil ? .maxAllowedFrameQP : nil
                case "qpmin": configuration.live.qpBounds.least != nil ? .minAllowedFrameQP : nil
                case "level": configuration.profileLevel?.levelIDC != nil ? .profileLevel : nil
                case "slice-max-size": rate.maxSliceBytes > 0 ? .maxH264SliceBytes : nil
                case "sliced-threads" where !option.isOn: nil
                case "slices", "slice-max-mbs", "sliced-threads":
                    configuration.allowMultipleSlices ? nil : .allowMultipleSlices
                case "mastering-display":
                    Self.rival(of: configuration.picture.masteringDisplay, .masteringDisplayColorVolume, configuration)
                case "cll": Self.rival(of: configuration.picture.contentLight, .contentLightLevelInfo, configuration)
                case "sar": configuration.pixelAspectRatio != nil ? .pixelAspectRatio : nil
                case "colorprim": configuration.signal.primaries != nil ? .colorPrimaries : nil
                case "transfer": configuration.signal.transfer != nil ? .transferFunction : nil
                case "colormatrix": configuration.signal.matrix != nil ? .yCbCrMatrix : nil
                case "chromaloc": configuration.signal.chromaLocation != nil ? .chromaLocation : nil
                default: nil
                }
            if let property {
                throw NaluError(
                    .conflict,
                    "\(property.rawValue) and x264.params \"\(option.spelling)\" are both set; unset one of them")
            }
            if option.isOn, !Self.isAllowed(option, in: configuration.profile) {
                throw NaluError(
                    .conflict,
                    "x264.params \"\(option.spelling)\" is not allowed by ProfileLevel "
                        + "\"\(configuration.effectiveProfileLevel.name)\"")
            }
        }
    }

    /// Whether the option changes a setting that recovery from loss or temporal layers need.
    private static func undoesRecovery(_ option: Option, _ configuration: SessionConfiguration) -> Bool {
        guard configuration.recovers || configuration.hasTemporalLayers else { return false }
        return switch option.name {
        case "ref", "dpb-size": true
        case "bframes": option.isOn
        case "keyint": configuration.allowIntraRefresh
        default: false
        }
    }

    /// Returns the property that conflicts with an option for an SEI message. It is the property for the same message,
    /// or the one that forbids the insertion of messages.
    private static func rival(
        of value: (some Any)?, _ key: PropertyKey, _ configuration: SessionConfiguration
    ) -> PropertyKey? {
        if value != nil { return key }
        return configuration.picture.hdrMetadataInsertion == HDRMetadataInsertionMode.none
            ? .hdrMetadataInsertionMode : nil
    }

    /// Whether the profile has the option. x264 silently drops options that it does not have.
    private static func isAllowed(_ option: Option, in profile: CodecProfile) -> Bool {
        switch option.name {
        case "8x8dct": profile.hasHighTools
        case "cqm": profile.hasHighTools || option.value?.contains("flat") == true
        case let name where name.hasPrefix("cqm"): profile.hasHighTools
        case "cabac", "weightp": profile.hasCABAC
        case "bframes": profile.hasBFrames
        default: true
        }
    }

    private static let aliases = [
        "fullrange": "range", "global-header": "repeat-headers", "level-idc": "level", "frameref": "ref",
        "qp-max": "qpmax", "qp-min": "qpmin", "qp-step": "qpstep", "keyint-min": "min-keyint", "filter": "deblock",
        "nf": "deblock", "analyse": "partitions", "weight-b": "weightb", "direct-pred": "direct", "me-range": "merange",
        "mv-range": "mvrange", "mv-range-thread": "mvrange-thread", "subq": "subme", "ip-factor": "ipratio",
        "pb-factor": "pbratio", "cplx-blur": "cplxblur", "n-deterministic": "deterministic",
    ]

    /// Options that would break the session's promises, each with the reason.
    private static let refused: [String: String] = {
        let form = "samples are always length-prefixed, with the parameter sets in the format description"
        let files = "the library reads and writes no files"
        let passes = "a multi-pass storage (nalu/multi_pass.h) controls passes and their files"
        let depth = "OutputBitDepth sets the bit depth of the stream"
        let profile = "the encoder writes the profile High or a subset of it"
        let chroma = "the stream is always 4:2:0"
        let fields = "FieldCount and FieldDetail control interlacing"
        return [
            "asm": "x264 detects the processor's instructions", "annexb": form, "repeat-headers": form,
            "avcintra-class": profile, "avcintra-flavor": profile,
            "stats": passes, "pass": passes, "cqmfile": files, "dump-yuv": files, "opencl-clbin": files,
            "opencl": "OpenCL is not supported", "opencl-device": "see opencl",
            "zones": "frame numbers restart when the encoder is drained; change properties while encoding instead",
            "open-gop": "use AllowOpenGOP", "intra-refresh": "use NaluAllowIntraRefresh",
            "log": "errors are returned as statuses", "log-level": "errors are returned as statuses",
            "frames": "its length is not known in advance",
            "input-depth": depth, "output-depth": depth, "bitdepth": depth, "bit-depth": depth, "input-csp": chroma,
            "output-csp": chroma, "range": "the range follows the frames; use '420f' for full range",
            "interlaced": fields, "tff": fields, "bff": fields,
            "fake-interlaced": fields, "pulldown": fields,
            "psnr": "use CalculateMeanSquaredError", "ssim": "use CalculateMeanSquaredError",
            "pic-struct": fields, "crop-rect": "use CleanAperture",
        ]
    }()
}
