internal import CX264

/// The value of the `x264.params` property: x264's own options by name, checked when they are set.
struct X264Options: Hashable, Sendable {
    let text: String
    let options: [Option]

    struct Option: Hashable, Sendable {
        let name: String
        let value: String?
    }

    init() {
        text = ""
        options = []
    }

    /// Parses "name=value:name=value". Every name must be x264's and every value one that x264 takes.
    init(_ text: String) throws(NaluError) {
        var options: [Option] = []
        let scratch = UnsafeMutablePointer<x264_param_t>.allocate(capacity: 1)
        unsafe x264_param_default(scratch)
        defer {
            unsafe x264_param_cleanup(scratch)
            unsafe scratch.deallocate()
        }
        for part in text.split(separator: ":", omittingEmptySubsequences: true) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let option = Option(name: Self.canonical(String(pair[0])), value: pair.count == 2 ? String(pair[1]) : nil)
            if let reason = Self.refused[option.name] {
                throw NaluError(.outOfRange, "x264.params \"\(option.name)\" is not for a session: \(reason)")
            }
            switch unsafe x264_param_parse(scratch, option.name, option.value) {
            case 0:
                options.append(option)
            case X264_PARAM_BAD_NAME:
                throw NaluError(.outOfRange, "x264.params \"\(option.name)\" is no option of x264 (see `x264 --fullhelp`)")
            case X264_PARAM_BAD_VALUE:
                throw NaluError(
                    .outOfRange,
                    "x264.params \"\(option.name)\": x264 does not take the value \"\(option.value ?? "")\"")
            default:
                throw NaluError(.allocationFailed, "x264.params \"\(option.name)\": out of memory")
            }
        }
        self.text = text
        self.options = options
    }

    func contains(_ name: String) -> Bool {
        options.contains { $0.name == name }
    }

    /// Applies the options, which were checked when they were set.
    func apply(to parameters: UnsafeMutablePointer<x264_param_t>) {
        for option in options {
            _ = unsafe x264_param_parse(parameters, option.name, option.value)
        }
    }

    /// Options that take rate control out of the session's hands.
    static let rateNames: Set<String> = [
        "bitrate", "crf", "qp", "vbv-maxrate", "vbv-bufsize", "nal-hrd", "zones", "ratetol", "crf-max",
    ]

    var ownsRate: Bool { options.contains { Self.rateNames.contains($0.name) } }

    /// A property and an option that say the same thing in two ways contradict each other.
    func checkConflicts(with configuration: SessionConfiguration) throws(NaluError) {
        let rate = configuration.live.rate
        let keyFrames = configuration.live.keyFrames
        for option in options {
            let property: PropertyKey? =
                switch option.name {
                case _ where Self.rateNames.contains(option.name):
                    rate.averageBitRate > 0
                        ? .averageBitRate
                        : rate.quality != nil ? .quality : rate.firstLimit != nil ? .dataRateLimits : nil
                case "keyint": keyFrames.maxInterval > 0 ? .maxKeyFrameInterval : nil
                case "fps", "force-cfr": rate.expectedFrameRate > 0 && option.name == "fps" ? .expectedFrameRate : nil
                case "cabac": configuration.entropyMode != nil ? .h264EntropyMode : nil
                case "bframes": configuration.allowFrameReordering != nil ? .allowFrameReordering : nil
                case "level": configuration.profileLevel?.levelIDC != nil ? .profileLevel : nil
                case "slice-max-size": rate.maxSliceBytes > 0 ? .maxH264SliceBytes : nil
                case "slices", "slice-max-mbs": configuration.allowMultipleSlices ? nil : .allowMultipleSlices
                case "sar": configuration.pixelAspectRatio != nil ? .pixelAspectRatio : nil
                case "colorprim": configuration.colorPrimaries != nil ? .colorPrimaries : nil
                case "transfer": configuration.transferFunction != nil ? .transferFunction : nil
                case "colormatrix": configuration.yCbCrMatrix != nil ? .yCbCrMatrix : nil
                default: nil
                }
            if let property {
                throw NaluError(
                    .conflict, "\(property.rawValue) and x264.params \"\(option.name)\" both are set; unset one of them")
            }
        }
    }

    /// x264 takes `_` for `-`, and `no-x` for `x=0`; the refusals and conflicts below know one spelling.
    private static func canonical(_ name: String) -> String {
        var name = String(name.map { $0 == "_" ? "-" : $0 })
        switch name {
        case "vbv-max-rate": name = "vbv-maxrate"
        case "bluray": name = "bluray-compat"
        case "fullrange": name = "range"
        default: break
        }
        return name
    }

    /// Options that would break what the session promises, and why.
    private static let refused: [String: String] = {
        let form = "samples are always length-prefixed, with the parameter sets in the format description"
        let files = "the library reads and writes no files"
        let keyFrames = "its key frames are IDR"
        let depth = "the stream is 8 bit 4:2:0"
        var refused: [String: String] = [
            "annexb": form, "repeat-headers": form, "avcintra-class": "it writes High or a subset of it",
            "avcintra-flavor": "it writes High or a subset of it",
            "stats": files, "pass": files, "cqmfile": files, "dump-yuv": files, "opencl-clbin": files,
            "opencl": "the choice of device is not the library's", "opencl-device": "see opencl",
            "open-gop": keyFrames, "intra-refresh": keyFrames,
            "log": "errors come as statuses", "log-level": "errors come as statuses", "frames": "it has no end known ahead",
            "input-depth": depth, "output-depth": depth, "bitdepth": depth, "bit-depth": depth, "input-csp": depth,
            "output-csp": depth, "range": "the range follows the frames; use '420f' for full range",
            "interlaced": "frames are progressive", "tff": "frames are progressive", "bff": "frames are progressive",
            "fake-interlaced": "frames are progressive", "pulldown": "frames are progressive",
            "pic-struct": "frames are progressive", "crop-rect": "the size is the session's",
        ]
        for (name, reason) in refused {
            refused["no-" + name] = reason
        }
        return refused
    }()
}
