internal import CX264

/// From a session's configuration to x264's parameters: a pure mapping.
enum X264Parameters {
    /// Fills `parameters`, and gives the description of what the client's options ask for. The caller cleans the parameters
    /// up (x264_param_cleanup) also after a throw.
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
        unsafe parameters.pointee.b_repeat_headers = 0
        unsafe parameters.pointee.analyse.b_psnr = configuration.calculateMeanSquaredError ? 1 : 0
        unsafe parameters.pointee.analyse.b_ssim = configuration.calculateMeanSquaredError ? 1 : 0
        // Else pictures that nothing refers to are measured before they are deblocked.
        unsafe parameters.pointee.b_full_recon = configuration.calculateMeanSquaredError ? 1 : 0
        // Key frames are the session's KeyFramePolicy: x264 cannot change its own interval while it runs.
        unsafe parameters.pointee.i_keyint_max = X264_KEYINT_MAX_INFINITE

        unsafe fillTiming(&parameters.pointee, setup)
        unsafe fillSignal(&parameters.pointee, setup)
        unsafe fillReach(&parameters.pointee, configuration)
        unsafe fillStructure(&parameters.pointee, configuration)
        unsafe fillRecovery(&parameters.pointee, configuration)
        unsafe fillQuantisers(&parameters.pointee, configuration)
        unsafe fillRate(&parameters.pointee, setup.rate)
        unsafe fillBucket(&parameters.pointee, configuration)
        if let part = setup.bucketFill {
            unsafe parameters.pointee.rc.f_vbv_buffer_init = Float(part)
        }
        if let pass = setup.pass {
            // Programs take the parameter sets of the first pass for the samples of the last. Else the sets begin at the
            // quantiser of the pass.
            unsafe parameters.pointee.b_stitchable = 1
            // Within limits it would take from scenes that are near them what others are short of.
            if !pass.isFirst, setup.rate.bucket == nil {
                unsafe parameters.pointee.rc.f_rate_tolerance = passTolerance
            }
        }
        try unsafe configuration.x264.options.apply(to: parameters)
        // Whether there are several passes decides what x264 uses.
        unsafe parameters.pointee.rc.b_stat_write = setup.pass?.isFirst == true ? 1 : 0
        let asked = unsafe X264Description(before: parameters, configuration).text(parameters)
        guard unsafe x264_param_apply_profile(parameters, configuration.profile.x264Name) == 0 else {
            throw NaluError(
                .conflict,
                "ProfileLevel \"\((configuration.profileLevel ?? .highAuto).name)\" does not hold what x264.params "
                    + "\"\(NaluError.excerpt(configuration.x264.options.text))\" asks for")
        }
        try unsafe fillPicture(&parameters.pointee, setup)
        try unsafe fillLevel(&parameters.pointee, setup)
        try unsafe checkFiller(parameters.pointee, setup)
        try unsafe fillPass(parameters, setup)
        return asked
    }
}

extension X264Parameters {
    /// Several passes: the first one writes what it learns, with the very settings of the later ones. (x264's own
    /// program makes a first pass of lower quality, from which sizes cannot be predicted as well: twice as far off on
    /// the real clips.) Later ones read that, never each other's, so that only the rate changes from one to the next.
    static func fillPass(
        _ parameters: UnsafeMutablePointer<x264_param_t>, _ setup: EncoderSetup
    ) throws(NaluError) {
        guard let pass = setup.pass else { return }
        try pass.prepareFiles()
        try pass.checkFiles()
        // Copies the path into both names, for x264_param_cleanup to free.
        guard unsafe x264_param_parse(parameters, "stats", pass.statisticsPath) == 0 else {
            throw NaluError(.allocationFailed, "out of memory for the path of the storage")
        }
        unsafe parameters.pointee.rc.b_stat_write = pass.isFirst ? 1 : 0
        unsafe parameters.pointee.rc.b_stat_read = pass.isFirst ? 0 : 1
    }

    /// How freely a later pass may leave its plan, where x264's default is 1: after an error it comes back within so many
    /// times the square root of the frames that are left, in seconds. x264 lets errors add up until the end of the clip,
    /// where a few frames would have to pay for all of them. Held to a tenth, clips end nearer still to the size, but the
    /// first frames of a part may be 0.9 dB worse than in one piece, and even scenes lose 0.1 dB.
    private static let passTolerance: Float = 0.5
}
