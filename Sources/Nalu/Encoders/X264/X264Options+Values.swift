internal import CX264

extension X264Options {
    /// Refuses values that x264 accepts and cannot use, reads differently than they are written, or uses to read a
    /// file.
    ///
    /// - Parameter scratch: the parameters that the option has just been applied to.
    static func checkValue(_ option: Option, _ scratch: inout x264_param_t) throws(NaluError) {
        let value = option.value ?? ""
        func refuse(_ expected: String) -> NaluError {
            NaluError(
                .outOfRange,
                "x264.params \"\(option.spelling)\" is \"\(NaluError.excerpt(value))\"; expected \(expected)")
        }
        // x264 keeps the low 32 bits of integers.
        if let number = Int(value), Int32(exactly: number) == nil {
            throw refuse("at most \(Int32.max)")
        }
        if let range = numbers[option.name] {
            guard !(option.name == "ratetol" && value == "inf") else { return }
            guard let number = Double(value), range.contains(number) else {
                throw refuse("a number from \(range.lowerBound) to \(range.upperBound)")
            }
        }
        switch option.name {
        case "level":
            guard unsafe H264Level.level(Int(scratch.i_level_idc)) != nil else {
                throw refuse("one of " + H264Level.all.map { $0.name }.joined(separator: ", "))
            }
        case "fps":
            let countable = 1...UInt32(Int32.max)
            guard unsafe countable.contains(scratch.i_fps_num) && countable.contains(scratch.i_fps_den) else {
                throw refuse("a frame rate above 0, as a number or as \"30000/1001\", of numbers up to \(Int32.max)")
            }
        case "qp":
            guard unsafe (1...51).contains(scratch.rc.i_qp_constant) else {
                throw refuse("1 to 51: lossless coding is not supported")
            }
        case "crf":
            guard unsafe (1...51).contains(scratch.rc.f_rf_constant) else {
                throw refuse("1 to 51: lossless coding is not supported")
            }
        case "bitrate":
            guard unsafe (1...2_000_000).contains(scratch.rc.i_bitrate) else {
                throw refuse("1 to 2000000, in kbit/s")
            }
        case "chroma-qp-offset":
            guard unsafe (-12...12).contains(scratch.analyse.i_chroma_qp_offset) else { throw refuse("-12 to 12") }
        case "slice-max-size":
            guard unsafe (0...100_000_000).contains(scratch.i_slice_max_size) else {
                throw refuse("0 to 100000000 bytes")
            }
        case "psy-rd":
            let parts = value.split(omittingEmptySubsequences: false) { $0 == "," || $0 == "|" }
            guard parts.count <= 2, parts.allSatisfy({ Double($0).map((0...10).contains) == true }) else {
                throw refuse("one or two numbers from 0 to 10, as \"1,0.15\"")
            }
        case "deblock":
            let parts = value.split(separator: ",", omittingEmptySubsequences: false)
            guard option.value == nil || isSwitch(value) || parts.count <= 2 && parts.allSatisfy({ Int($0) != nil })
            else {
                throw refuse("one or two integers, as \"-1,-1\", or 0")
            }
        case "partitions":
            let known: Set<Substring> = ["none", "all", "i4x4", "i8x8", "p8x8", "p4x4", "b8x8"]
            guard value.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(known.contains) else {
                throw refuse("none, all, or a comma-separated list of i4x4, i8x8, p8x8, p4x4 and b8x8")
            }
        case "cqm":
            guard ["flat", "jvt"].contains(value) else {
                throw refuse("\"flat\" or \"jvt\"; matrices are not read from files")
            }
        default: break
        }
    }

    private static func isSwitch(_ value: String) -> Bool {
        ["1", "0", "true", "false", "yes", "no"].contains(value.lowercased())
    }

    /// The ranges of options with a fraction. x264 silently changes values outside of them, and also NaN.
    private static let numbers: [String: ClosedRange<Double>] = [
        "qcomp": 0...1, "ratetol": 0...1e9, "ipratio": 0.01...10, "pbratio": 0.01...10, "aq-strength": 0...3,
        "qblur": 0...99, "cplxblur": 0...999, "vbv-init": 0...2_000_000, "crf-max": 0...51,
    ]
}
