internal import CX264

/// From a session's configuration to x264's parameters: a pure mapping.
enum X264Parameters {
    /// Fills `parameters`. The caller cleans them up (x264_param_cleanup) also after a throw.
    static func fill(_ parameters: UnsafeMutablePointer<x264_param_t>, from setup: EncoderSetup) throws(NaluError) {
        let configuration = setup.configuration
        let preset = configuration.preset
        var tunes = configuration.tunes
        if configuration.isLowDelay && !tunes.contains("zerolatency") {
            tunes.append("zerolatency")
        }
        guard
            unsafe x264_param_default_preset(parameters, preset, tunes.isEmpty ? nil : tunes.joined(separator: ","))
                == 0
        else {
            throw NaluError(.couldNotCreateInstance, "x264 does not take preset \"\(preset)\" with tune \(tunes)")
        }
        unsafe parameters.pointee.i_width = Int32(setup.width)
        unsafe parameters.pointee.i_height = Int32(setup.height)
        unsafe parameters.pointee.i_csp = X264_CSP_NV12
        unsafe parameters.pointee.b_annexb = 0
        unsafe parameters.pointee.b_repeat_headers = 0
        unsafe parameters.pointee.analyse.b_psnr = 0
        unsafe parameters.pointee.analyse.b_ssim = 0
        // Key frames are the session's KeyFramePolicy: x264 cannot change its own interval while it runs.
        unsafe parameters.pointee.i_keyint_max = X264_KEYINT_MAX_INFINITE

        unsafe fillTiming(&parameters.pointee, setup)
        unsafe fillSignal(&parameters.pointee, setup)
        unsafe fillReach(&parameters.pointee, configuration)
        unsafe fillStructure(&parameters.pointee, configuration)
        unsafe fillQuantisers(&parameters.pointee, configuration)
        unsafe fillRate(&parameters.pointee, setup.rate)
        unsafe configuration.x264Params.apply(to: parameters)
        guard unsafe x264_param_apply_profile(parameters, configuration.profile.x264Name) == 0 else {
            throw NaluError(
                .conflict,
                "ProfileLevel \"\((configuration.profileLevel ?? .highAuto).name)\" does not hold what x264.params "
                    + "\"\(NaluError.excerpt(configuration.x264Params.text))\" asks for")
        }
        try unsafe fillLevel(&parameters.pointee, setup)
    }

    /// Rate control alone, for a running encoder.
    static func fillRate(_ parameters: inout x264_param_t, _ plan: RatePlan) {
        switch plan.aim {
        case .kilobitsPerSecond(let rate):
            unsafe parameters.rc.i_rc_method = X264_RC_ABR
            unsafe parameters.rc.i_bitrate = Int32(clamping: rate)
        case .rateFactor(let factor):
            unsafe parameters.rc.i_rc_method = X264_RC_CRF
            unsafe parameters.rc.f_rf_constant = Float(factor)
        }
        if let bucket = plan.bucket {
            unsafe parameters.rc.i_vbv_max_bitrate = Int32(clamping: bucket.kilobitsPerSecond)
            unsafe parameters.rc.i_vbv_buffer_size = Int32(clamping: bucket.kilobits)
        }
        unsafe parameters.i_slice_max_size = Int32(clamping: plan.maxSliceBytes)
    }

    // MARK: Parts

    private static func fillTiming(_ parameters: inout x264_param_t, _ setup: EncoderSetup) {
        let rate = FrameRate(setup.configuration.live.rate.expectedFrameRate) ?? .assumed
        unsafe parameters.i_fps_num = rate.numerator
        unsafe parameters.i_fps_den = rate.denominator
        // To follow presentation times x264 holds a frame until it has seen the next one; a session without delay
        // counts frames instead, and RateControl scales the rate by the time that they really take.
        unsafe parameters.b_vfr_input = setup.configuration.isLowDelay ? 0 : 1
        unsafe parameters.i_timebase_num = 1
        unsafe parameters.i_timebase_den = UInt32(setup.ticksPerSecond)
    }

    private static func fillSignal(_ parameters: inout x264_param_t, _ setup: EncoderSetup) {
        let configuration = setup.configuration
        let isHD = setup.height >= 720
        unsafe parameters.vui.b_fullrange = setup.isFullRange ? 1 : 0
        // chroma_sample_loc_type 1 (ITU-T H.264 E.2.1); saying nothing means 0, at the left pixels.
        unsafe parameters.vui.i_chroma_loc = setup.chromaIsCentred ? 1 : 0
        unsafe parameters.vui.i_colorprim = (configuration.colorPrimaries ?? (isHD ? .itu709 : .smpteC)).code
        unsafe parameters.vui.i_transfer = (configuration.transferFunction ?? .itu709).code
        unsafe parameters.vui.i_colmatrix = (configuration.yCbCrMatrix ?? .automatic(height: setup.height)).vuiCode
        if let ratio = configuration.pixelAspectRatio {
            unsafe parameters.vui.i_sar_width = Int32(ratio.horizontal)
            unsafe parameters.vui.i_sar_height = Int32(ratio.vertical)
        }
    }

    private static func fillReach(_ parameters: inout x264_param_t, _ configuration: SessionConfiguration) {
        if configuration.referenceBufferCount > 0 {
            unsafe parameters.i_frame_reference = Int32(configuration.referenceBufferCount)
            // x264 announces at least four with a pyramid of B-frames.
            if configuration.referenceBufferCount < 4 {
                unsafe parameters.i_bframe_pyramid = X264_B_PYRAMID_NONE
            }
        }
        if let count = configuration.suggestedLookAheadFrameCount {
            unsafe parameters.rc.i_lookahead = Int32(count)
            // That search would hold back as many frames as it compares.
            if unsafe parameters.i_bframe_adaptive == X264_B_ADAPT_TRELLIS && max(parameters.i_bframe, 3) * 4 > count {
                unsafe parameters.i_bframe_adaptive = X264_B_ADAPT_FAST
            }
            if count == 0 {
                unsafe parameters.rc.b_mb_tree = 0
            }
        }
        if configuration.maximizePowerEfficiency == true {
            unsafe parameters.i_threads = 1
            unsafe parameters.i_lookahead_threads = 1
        }
    }

    private static func fillQuantisers(_ parameters: inout x264_param_t, _ configuration: SessionConfiguration) {
        if let most = configuration.maxAllowedFrameQP {
            unsafe parameters.rc.i_qp_max = Int32(most)
        }
        if let least = configuration.minAllowedFrameQP {
            unsafe parameters.rc.i_qp_min = Int32(least)
        }
        if configuration.spatialAdaptiveQPLevel == 0 {
            // The macroblock tree needs the mode, and works with this strength.
            unsafe parameters.rc.i_aq_mode = X264_AQ_NONE
            unsafe parameters.rc.f_aq_strength = 0
        }
    }

    private static func fillStructure(_ parameters: inout x264_param_t, _ configuration: SessionConfiguration) {
        if let mode = configuration.entropyMode {
            unsafe parameters.b_cabac = mode == .cabac ? 1 : 0
        }
        let delay = configuration.maxFrameDelayCount
        if delay > 0 && !configuration.isLowDelay {
            // x264 holds max(lookahead, B-frames) frames, one for timestamps, and one for each further frame thread.
            // A B-frame comes back yet one later, behind the frame it refers to; two later in a pyramid.
            let most = !configuration.mayReorderFrames ? 0 : delay >= 5 ? Int32(delay) - 3 : 1
            unsafe parameters.i_bframe = unsafe min(parameters.i_bframe, most)
            let room = unsafe Int32(delay) - 1 - min(parameters.i_bframe, 2)
            unsafe parameters.b_sliced_threads = 1
            unsafe parameters.i_sync_lookahead = 0
            unsafe parameters.rc.i_lookahead = unsafe min(parameters.rc.i_lookahead, room)
            if unsafe parameters.i_bframe_adaptive == X264_B_ADAPT_TRELLIS && max(parameters.i_bframe, 3) * 4 > room {
                unsafe parameters.i_bframe_adaptive = X264_B_ADAPT_FAST
            }
            if unsafe parameters.rc.i_lookahead == 0 {
                unsafe parameters.rc.b_mb_tree = 0
            }
        }
        if !configuration.mayReorderFrames {
            unsafe parameters.i_bframe = 0
        }
        if !configuration.allowMultipleSlices {
            // Without slices to share out, the threads would need frames to work on, which is delay.
            if unsafe parameters.b_sliced_threads != 0 {
                unsafe parameters.i_threads = 1
            }
            unsafe parameters.b_sliced_threads = 0
            unsafe parameters.i_slice_count = 1
        }
    }

    /// The bucket where none is asked for: that of a fixed level, else the largest there is. An automatic level knows
    /// nothing of the rate that a quality will take; its bucket would take the quality away from small pictures.
    static func looseBucket(_ configuration: SessionConfiguration, level: H264Level) -> RatePlan.Bucket {
        let profileLevel = configuration.profileLevel ?? .highAuto
        let isFixed = profileLevel.levelIDC != nil || configuration.x264Params.contains("level")
        let bounds = isFixed ? level : H264Level.all[H264Level.all.count - 1]
        return RatePlan.Bucket(
            kilobitsPerSecond: bounds.kilobitsPerSecond(profileLevel.profile),
            kilobits: bounds.cpbKilobits(profileLevel.profile))
    }

    /// Chooses the level, and makes references and bucket fit it.
    private static func fillLevel(_ parameters: inout x264_param_t, _ setup: EncoderSetup) throws(NaluError) {
        let profileLevel = setup.configuration.profileLevel ?? .highAuto
        let profile = profileLevel.profile
        let wide = (setup.width + 15) / 16
        let high = (setup.height + 15) / 16
        let frame = wide * high
        let framesPerSecond = unsafe Double(parameters.i_fps_num) / Double(parameters.i_fps_den)
        let macroblocksPerSecond = Int((Double(frame) * framesPerSecond).rounded(.up))
        let aim = unsafe parameters.rc.i_rc_method == X264_RC_ABR ? Int(parameters.rc.i_bitrate) : 0
        let rate = unsafe max(Int(parameters.rc.i_vbv_max_bitrate), aim)
        let buffer = unsafe Int(parameters.rc.i_vbv_buffer_size)

        let optionLevel = unsafe parameters.i_level_idc > 0 ? Int(parameters.i_level_idc) : nil
        let level: H264Level
        if let idc = profileLevel.levelIDC ?? optionLevel, let fixed = H264Level.level(idc) {
            level = fixed
            guard level.holds(macroblocksWide: wide, high: high) else {
                throw NaluError(
                    .outOfRange,
                    "ProfileLevel \"\(profileLevel.name)\": level \(level.name) holds \(level.maxMacroblocksPerFrame) "
                        + "macroblocks a frame, and \(setup.width)x\(setup.height) has \(frame); take an AutoLevel")
            }
            let asked = setup.configuration.live.rate.expectedFrameRate
            guard asked == 0 || macroblocksPerSecond <= level.maxMacroblocksPerSecond else {
                throw NaluError(
                    .outOfRange,
                    "ProfileLevel \"\(profileLevel.name)\": level \(level.name) holds "
                        + "\(level.maxMacroblocksPerSecond) macroblocks a second, and \(setup.width)x\(setup.height) at "
                        + "ExpectedFrameRate \(asked) has \(macroblocksPerSecond); take an AutoLevel")
            }
            guard aim <= level.kilobitsPerSecond(profile) else {
                throw NaluError(
                    .conflict,
                    "AverageBitRate \(aim * 1000) is over the \(level.kilobitsPerSecond(profile) * 1000) bits a second of "
                        + "ProfileLevel \"\(profileLevel.name)\"; take an AutoLevel")
            }
        } else {
            let references = unsafe max(1, Int(parameters.i_frame_reference))
            level =
                H264Level.all.first {
                    $0.holds(macroblocksWide: wide, high: high) && macroblocksPerSecond <= $0.maxMacroblocksPerSecond
                        && min(references, 16) * frame <= $0.maxDPBMacroblocks && rate <= $0.kilobitsPerSecond(profile)
                        && buffer <= $0.cpbKilobits(profile)
                } ?? H264Level.all[H264Level.all.count - 1]
        }
        unsafe parameters.i_level_idc = Int32(level.idc)
        let references = level.references(macroblocks: frame)
        guard setup.configuration.referenceBufferCount <= references else {
            throw NaluError(
                .conflict,
                "ReferenceBufferCount \(setup.configuration.referenceBufferCount): level \(level.name) holds \(references) "
                    + "frames of \(setup.width)x\(setup.height); take at most as many, or another level")
        }
        unsafe parameters.i_frame_reference = unsafe min(parameters.i_frame_reference, Int32(references))

        if !setup.configuration.x264Params.ownsRate {
            // x264 takes rate changes only when it was opened with a bucket.
            let loose = looseBucket(setup.configuration, level: level)
            let maxRate = loose.kilobitsPerSecond
            let maxBuffer = loose.kilobits
            if unsafe parameters.rc.i_vbv_max_bitrate == 0 {
                unsafe parameters.rc.i_vbv_max_bitrate = Int32(maxRate)
                unsafe parameters.rc.i_vbv_buffer_size = Int32(maxBuffer)
            } else if profileLevel.levelIDC != nil {
                unsafe parameters.rc.i_vbv_max_bitrate = unsafe min(parameters.rc.i_vbv_max_bitrate, Int32(maxRate))
                unsafe parameters.rc.i_vbv_buffer_size = unsafe min(parameters.rc.i_vbv_buffer_size, Int32(maxBuffer))
            }
        }
    }
}

extension ColorMatrix {
    /// The matrix_coefficients of ITU-T H.264 table E-5.
    var vuiCode: Int32 {
        switch self {
        case .itu709: 1
        case .itu601: 6
        case .smpte240m: 7
        case .itu2020: 9
        }
    }
}
