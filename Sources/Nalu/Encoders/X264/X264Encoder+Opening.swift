internal import CX264

/// The checks and the parameter sets of an encoder that is being opened.
extension X264Encoder {
    static func readHeaders(
        _ encoder: OpaquePointer, _ log: UnsafeMutablePointer<nalu_x264_log>, _ setup: EncoderSetup,
        _ parameters: x264_param_t
    ) throws(NaluError) -> H264ParameterSets {
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        guard unsafe x264_encoder_headers(encoder, &units, &count) > 0, let units = unsafe units else {
            throw unsafe failure(log, .encoderMalfunction, "x264 returned no parameter sets")
        }
        var sets: [[UInt8]] = []
        for index in 0..<Int(count) {
            let unit = unsafe units[index]
            guard unsafe unit.i_type == NAL_SPS.rawValue || unit.i_type == NAL_PPS.rawValue, unsafe unit.i_payload > 4
            else { continue }
            // The parameter set follows a 4-byte length prefix.
            sets.append(unsafe [UInt8](UnsafeBufferPointer(start: unit.p_payload + 4, count: Int(unit.i_payload) - 4)))
        }
        let result = try H264ParameterSets(
            sets, picOrderCountBits: X264Parameters.picOrderCountBits(setup.configuration)
        ) { sequence throws(NaluError) in try unsafe edited(sequence, setup, parameters) }
        try checkProfile(result.format, setup)
        return result
    }

    /// Edits x264's SPS. If x264 counts frames, it writes one tick per frame as the frame rate. If it follows
    /// presentation times, it writes their tick. The stream must state the client's frame rate, or none. With NAL HRD
    /// the clock is the unit of other fields and stays.
    private static func edited(
        _ bytes: [UInt8], _ setup: EncoderSetup, _ parameters: x264_param_t
    ) throws(NaluError) -> [UInt8] {
        let constraints: UInt8 = setup.configuration.profile == .h264ConstrainedHigh ? 0x0c : 0
        var timing: SequenceParameterSetEditor.Timing = .unchanged
        if unsafe parameters.i_nal_hrd == X264_NAL_HRD_NONE {
            if !setup.configuration.saysFrameRate {
                timing = .removed
            } else if unsafe parameters.b_vfr_input != 0 {
                timing = unsafe .set(
                    unitsInTick: parameters.i_fps_den, timeScale: parameters.i_fps_num * 2, isFixed: false)
            }
        }
        // x264 sets cbr_flag only if it holds a bit rate itself; see RateControl.Mode.constant.
        return try SequenceParameterSetEditor.edit(
            bytes, timing: timing, addingConstraintFlags: constraints,
            hasConstantBitRate: setup.configuration.constantBitRate > 0,
            frameNumberBits: setup.configuration.enableLTR
                ? unsafe X264Parameters.frameNumberBits(
                    SequenceParameterSet(parsing: bytes), usesCABAC: parameters.b_cabac != 0) : nil,
            picOrderCountBits: X264Parameters.picOrderCountBits(setup.configuration))
    }

    /// Throws if the stream has a higher profile than the session's. The announced profile is the one that x264's tools
    /// need, and `x264.params` may have enabled more tools.
    private static func checkProfile(_ format: FormatDescription, _ setup: EncoderSetup) throws(NaluError) {
        guard format.sequence.profileIDC <= setup.configuration.profile.idc else {
            throw NaluError(
                .conflict,
                "x264.params \"\(setup.configuration.x264.options.text)\" would give the stream profile_idc "
                    + "\(format.sequence.profileIDC), above that of ProfileLevel "
                    + "\"\(setup.configuration.effectiveProfileLevel.name)\"")
        }
    }

    /// Throws if the headers of temporal layers would make macroblocks of type I_PCM corrupt.
    static func checkLayers(
        _ parameters: x264_param_t, _ configuration: SessionConfiguration
    ) throws(NaluError) {
        guard unsafe configuration.hasTemporalLayers && mayWritePCMInCAVLC(parameters) else { return }
        throw NaluError(
            .conflict,
            "BaseLayerFrameRateFraction \(configuration.baseLayerFrameRateFraction) needs CABAC, or in CAVLC psychovisual "
                + "optimisation or a subme below 6; use H264EntropyMode \"CABAC\", or a faster x264.preset")
    }

    /// Whether x264's analysis may choose I_PCM macroblocks in CAVLC. There they are aligned to bytes, and a slice
    /// header without a forgotten picture may be shorter by any number of bits.
    static func mayWritePCMInCAVLC(_ parameters: x264_param_t) -> Bool {
        unsafe parameters.b_cabac == 0 && parameters.analyse.i_subpel_refine >= 6
            && (parameters.analyse.b_psy == 0 || parameters.analyse.f_psy_rd <= 0)
    }

    static func reorderDepth(_ parameters: x264_param_t) -> Int {
        if unsafe parameters.i_bframe == 0 { return 0 }
        return unsafe parameters.i_bframe_pyramid == X264_B_PYRAMID_NONE ? 1 : 2
    }

    /// Throws if x264 cannot have its memory. Without memory, x264 prints to stderr, also while it encodes.
    static func checkMemory(_ parameters: UnsafePointer<x264_param_t>) throws(NaluError) {
        let memory = unsafe nalu_x264_estimate(parameters)
        let size = unsafe "\(parameters.pointee.i_width)x\(parameters.pointee.i_height)"
        guard nalu_x264_can_have(memory) == 1 else {
            throw NaluError(
                .allocationFailed,
                "x264 needs about \(memory.total >> 20) MiB of memory for \(size) with these properties, which exceeds the process's limit; use a smaller size, fewer lookahead or reference frames, or raise the limit"
            )
        }
    }
}
