internal import CX264
private import NaluLibc

extension X264Parameters {
    /// Fills the rate control settings alone, as for a running encoder.
    static func fillRate(_ parameters: inout x264_param_t, _ plan: RatePlan) {
        unsafe fillAim(&parameters, plan.aim)
        if let vbvBuffer = plan.vbvBuffer {
            unsafe fillMaxRate(&parameters, vbvBuffer.kilobitsPerSecond)
            unsafe parameters.rc.i_vbv_buffer_size = Int32(clamping: vbvBuffer.kilobits)
        }
        unsafe parameters.i_slice_max_size = Int32(clamping: plan.maxSliceBytes)
    }

    /// Fills the aim alone. The rate factor for a QP depends on options, so call this again after they have been applied.
    static func fillAim(_ parameters: inout x264_param_t, _ aim: RatePlan.Aim) {
        switch aim {
        case .kilobitsPerSecond(let rate):
            unsafe parameters.rc.i_rc_method = X264_RC_ABR
            unsafe parameters.rc.i_bitrate = Int32(clamping: rate)
        case .quality(let quality):
            unsafe parameters.rc.i_rc_method = X264_RC_CRF
            unsafe parameters.rc.f_rf_constant = Float(rateFactor(quality: quality))
        case .qp(let qp, let planned):
            unsafe parameters.rc.i_rc_method = X264_RC_CRF
            unsafe parameters.rc.f_rf_constant = Float(rateFactor(for: qp, parameters))
            unsafe parameters.rc.i_bitrate = Int32(clamping: planned)
        }
    }

    /// The rate factor with which x264 encodes P-frames at `qp`.
    ///
    /// With the macroblock tree, x264 adds 13.5 · (1 − qcomp) to the rate factor, and 6 · (1 − qcomp) · log2(40 ms / duration)
    /// (ratecontrol.c: `mbtree_offset`, `get_qscale`): at 25 frames per second and the default qcomp, 5.4. Without the tree, the
    /// QP of a frame also depends on its content, and the rate factor is close to the mean QP.
    private static func rateFactor(for qp: Double, _ parameters: x264_param_t) -> Double {
        guard unsafe parameters.rc.b_mb_tree != 0 else { return max(qp, leastRateFactor) }
        let frameSeconds = unsafe Double(parameters.i_fps_den) / Double(max(1, parameters.i_fps_num))
        // x264's limits of a duration (MIN_FRAME_DURATION, MAX_FRAME_DURATION).
        let duration = min(max(frameSeconds, 0.01), 1)
        let compression = unsafe 1 - Double(parameters.rc.f_qcompress)
        return max(qp - compression * (13.5 + 6 * log2(0.04 / duration)), leastRateFactor)
    }

    /// Returns x264's rate factor for a quality.
    static func rateFactor(quality: Double) -> Double {
        RatePlan.number(quality: quality, among: [51, 30, 23, 17, leastRateFactor])
    }

    /// A rate factor below 1 makes x264 lossless, which no profile up to High has.
    private static let leastRateFactor = 1.0

    /// x264's limit of the VBV buffer's rate and size, in kilobits.
    private static let largestVBVBuffer = 2_000_000

    /// Sets the VBV buffer's rate. x264 enlarges a buffer to what it receives during a frame, without checking that its
    /// 32 bits can count that.
    static func fillMaxRate(_ parameters: inout x264_param_t, _ kilobitsPerSecond: Int) {
        let countable =
            unsafe Double(largestVBVBuffer) * Double(parameters.i_fps_num) / Double(max(1, parameters.i_fps_den))
        let most = max(1, Int(min(countable, Double(largestVBVBuffer))))
        unsafe parameters.rc.i_vbv_max_bitrate = Int32(min(kilobitsPerSecond, most))
    }

    /// Fills the settings of the VBV buffer that are fixed while the encoder runs.
    static func fillVBVBuffer(_ parameters: inout x264_param_t, _ configuration: SessionConfiguration) {
        if configuration.constantBitRate > 0 {
            // x264 has CBR in its own bit-rate mode only, which leaves much to filler. Here filler makes a VBR stream
            // constant.
            unsafe parameters.i_nal_hrd = X264_NAL_HRD_VBR
            unsafe parameters.rc.b_filler = 1
            if configuration.isLowDelay {
                // The VBV buffer holds little more than a frame: the first key frame may use all of it.
                unsafe parameters.rc.f_vbv_buffer_init = 1
                // The QP of the rows of a frame differs more than x264 expects. With steps of at most 4, slice threads
                // overshoot, code rows again and then leave a tenth of a frame to filler.
                unsafe parameters.rc.i_qp_step = 16
            }
        }
        if configuration.variableBitRate > 0 {
            unsafe parameters.rc.f_vbv_buffer_init = Float(configuration.vbvInitialDelayPercentage / 100)
        }
    }

    static func fillQPBounds(_ parameters: inout x264_param_t, _ configuration: SessionConfiguration) {
        let scale = QPScale(bitDepth: configuration.outputBitDepth ?? 8)
        if let most = configuration.live.qpBounds.most {
            unsafe parameters.rc.i_qp_max = scale.x264(most)
        }
        if let least = configuration.live.qpBounds.least {
            unsafe parameters.rc.i_qp_min = scale.x264(least)
        }
        if configuration.spatialAdaptiveQPLevel == 0 {
            // The macroblock tree needs the mode: x264 then sets it again, and works with this strength.
            unsafe parameters.rc.i_aq_mode = X264_AQ_NONE
            unsafe parameters.rc.f_aq_strength = 0
        }
    }

    /// Returns the VBV buffer if none is requested: that of a fixed level, otherwise the largest possible. An automatic
    /// level does not depend on the rate that a quality will take. Its buffer would reduce the quality of small
    /// pictures.
    static func looseVBVBuffer(_ configuration: SessionConfiguration, level: H264Level) -> RatePlan.VBVBuffer {
        let profileLevel = configuration.effectiveProfileLevel
        let isFixed = profileLevel.levelIDC != nil || configuration.x264.options.contains("level")
        let bounds = isFixed ? level : H264Level.all[H264Level.all.count - 1]
        // x264 accepts no larger number, and level 6.2 in High 10 has one.
        return RatePlan.VBVBuffer(
            kilobitsPerSecond: min(bounds.kilobitsPerSecond(configuration.profile), largestVBVBuffer),
            kilobits: min(bounds.cpbKilobits(configuration.profile), largestVBVBuffer))
    }
}
