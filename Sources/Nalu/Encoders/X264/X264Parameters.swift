internal import CX264

/// Maps a session's configuration to x264's parameters.
enum X264Parameters {
    /// Fills `parameters`, and returns the description of the parameters with the client's options. The caller must
    /// clean up the parameters (x264_param_cleanup), also after a throw.
    static func fill(
        _ parameters: UnsafeMutablePointer<x264_param_t>, from setup: EncoderSetup
    ) throws(NaluError) -> String {
        let configuration = setup.configuration
        let preset = configuration.x264Preset
        var tunes = configuration.x264.tunes
        if configuration.isLowDelay && !tunes.contains("zerolatency") {
            tunes.append("zerolatency")
        }
        guard
            unsafe x264_param_default_preset(parameters, preset, tunes.isEmpty ? nil : tunes.joined(separator: ","))
                == 0
        else {
            throw NaluError(.couldNotCreateInstance, "x264 does not accept preset \"\(preset)\" with tune \(tunes)")
        }
        unsafe parameters.pointee.i_width = Int32(setup.width)
        unsafe parameters.pointee.i_height = Int32(setup.height)
        unsafe parameters.pointee.i_csp = X264_CSP_NV12
        unsafe parameters.pointee.i_bitdepth = Int32(setup.bitDepth)
        unsafe parameters.pointee.b_annexb = 0
        // x264 counts only what it writes. The encoder removes the parameter sets from its output.
        unsafe parameters.pointee.b_repeat_headers = configuration.parameterSetsInStream ? 1 : 0
        unsafe parameters.pointee.analyse.b_psnr = configuration.calculateMeanSquaredError ? 1 : 0
        unsafe parameters.pointee.analyse.b_ssim = configuration.calculateMeanSquaredError ? 1 : 0
        // Without this, pictures that nothing refers to are measured before they are deblocked.
        unsafe parameters.pointee.b_full_recon = configuration.calculateMeanSquaredError ? 1 : 0
        // The session's KeyFramePolicy decides on key frames: x264 cannot change its own interval while it runs.
        unsafe parameters.pointee.i_keyint_max = X264_KEYINT_MAX_INFINITE

        unsafe fillTiming(&parameters.pointee, setup)
        unsafe fillSignal(&parameters.pointee, setup)
        unsafe fillReach(&parameters.pointee, configuration)
        unsafe fillStructure(&parameters.pointee, configuration)
        unsafe fillRecovery(&parameters.pointee, configuration)
        unsafe fillQPBounds(&parameters.pointee, configuration)
        unsafe fillRate(&parameters.pointee, setup.rate)
        unsafe fillVBVBuffer(&parameters.pointee, configuration)
        if let part = setup.vbvFill {
            unsafe parameters.pointee.rc.f_vbv_buffer_init = Float(part)
        }
        if let pass = setup.pass {
            // Programs use the parameter sets of the first pass for the samples of the last pass. The initial QP in the
            // parameter sets must therefore not depend on the pass.
            unsafe parameters.pointee.b_stitchable = 1
            // With a VBV buffer, this would move bits from scenes near its limits to other scenes.
            if !pass.isFirst, setup.rate.vbvBuffer == nil {
                unsafe parameters.pointee.rc.f_rate_tolerance = passTolerance
            }
        }
        try unsafe configuration.x264.options.apply(to: parameters)
        if case .qp = setup.rate.aim { unsafe fillAim(&parameters.pointee, setup.rate.aim) }
        // The number of passes decides which options x264 uses.
        unsafe parameters.pointee.rc.b_stat_write = setup.pass?.isFirst == true ? 1 : 0
        let asked = unsafe X264Description(before: parameters, configuration).text(parameters)
        guard unsafe x264_param_apply_profile(parameters, x264Name(configuration.profile)) == 0 else {
            throw NaluError(
                .conflict,
                "ProfileLevel \"\(configuration.effectiveProfileLevel.name)\" excludes a feature that x264.params "
                    + "\"\(NaluError.excerpt(configuration.x264.options.text))\" turns on")
        }
        try unsafe fillPicture(&parameters.pointee, setup)
        try unsafe fillLevel(&parameters.pointee, setup)
        try unsafe checkFiller(parameters.pointee, setup)
        unsafe fillProcessor(&parameters.pointee)
        try unsafe fillPass(parameters, setup)
        return asked
    }
}

extension X264Parameters {
    /// The name with which x264 restricts its parameters to a profile.
    private static func x264Name(_ profile: CodecProfile) -> String {
        switch profile {
        case .h264Baseline, .h264ConstrainedBaseline: "baseline"
        case .h264Main: "main"
        case .h264High10: "high10"
        default: "high"
        }
    }

    /// Disables AVX-512 if it would make the output depend on the former content of memory. The macroblock tree of
    /// core 164 then reads eight macroblocks at a time, also beyond the end of a row (common/x86/mc-a2.asm,
    /// mbtree_propagate_list_internal_avx512).
    static func fillProcessor(_ parameters: inout x264_param_t) {
        let macroblocksInRow = (unsafe parameters.i_width + 15) / 16
        if unsafe parameters.rc.b_mb_tree != 0 && macroblocksInRow % 8 != 0 {
            unsafe parameters.cpu &= ~X264_CPU_AVX512
        }
    }

    /// Sets the parameters of one of several passes. The first pass writes its statistics, with the same settings as
    /// later passes. (The first pass of x264's own program has a lower quality. Sizes cannot be predicted from it as
    /// well: they were twice as far off on the real clips.) Later passes read those statistics, never each other's, so
    /// that only the rate changes from one pass to the next.
    static func fillPass(
        _ parameters: UnsafeMutablePointer<x264_param_t>, _ setup: EncoderSetup
    ) throws(NaluError) {
        guard let pass = setup.pass else { return }
        try pass.prepareFiles()
        try pass.checkFiles()
        // This copies the path into both names, which x264_param_cleanup frees.
        guard unsafe x264_param_parse(parameters, "stats", pass.statisticsPath) == 0 else {
            throw NaluError(.allocationFailed, "out of memory for the storage's path")
        }
        unsafe parameters.pointee.rc.b_stat_write = pass.isFirst ? 1 : 0
        unsafe parameters.pointee.rc.b_stat_read = pass.isFirst ? 0 : 1
    }

    /// x264's rate tolerance of a later pass; x264's default is 1. After an error, the pass returns to the plan
    /// within this number times the square root of the frames that are left, in seconds. With x264's default, errors
    /// add up until the end of the clip, where a few frames would have to compensate for all of them. With a tenth,
    /// clips end even nearer to the size. But the first frames of a chunk may then be 0.9 dB worse than without chunks,
    /// and uniform scenes lose 0.1 dB.
    private static let passTolerance: Float = 0.5
}

/// x264's parameters as text that x264 (and the property `x264.params`) can read again. The caller must have a
/// ``CLocale``.
struct X264Description: Sendable {
    private let asked: nalu_x264_asked

    /// - Parameter parameters: the parameters that x264 will be opened with.
    init(before parameters: UnsafePointer<x264_param_t>, _ configuration: SessionConfiguration) {
        asked = unsafe nalu_x264_ask(parameters, configuration.saysFrameRate ? 1 : 0)
    }

    func text(_ parameters: UnsafePointer<x264_param_t>) -> String {
        var characters = [CChar](repeating: 0, count: 8192)
        var asked = asked
        let count = unsafe characters.withUnsafeMutableBufferPointer { buffer in
            unsafe nalu_x264_describe(parameters, &asked, buffer.baseAddress, buffer.count)
        }
        return String(decoding: characters.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension SessionConfiguration {
    /// Whether the client has set the frame rate, which the stream then states.
    var saysFrameRate: Bool {
        live.rate.frameRate != nil || x264.options.contains("fps")
    }
}
