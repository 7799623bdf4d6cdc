internal import CX264

extension X264Parameters {
    /// Chooses the level, and makes references and VBV buffer fit it.
    static func fillLevel(_ parameters: inout x264_param_t, _ setup: EncoderSetup) throws(NaluError) {
        let profileLevel = setup.configuration.effectiveProfileLevel
        let profile = setup.configuration.profile
        let frame = setup.geometry.macroblocksWide * setup.geometry.macroblocksHigh
        let framesPerSecond = unsafe Double(parameters.i_fps_num) / Double(parameters.i_fps_den)
        let isConstant = setup.configuration.constantBitRate > 0
        let aim =
            unsafe isConstant
            ? Int(parameters.rc.i_vbv_max_bitrate)
            : parameters.rc.i_rc_method == X264_RC_ABR || setup.pass != nil ? Int(parameters.rc.i_bitrate) : 0
        let rate = unsafe max(Int(parameters.rc.i_vbv_max_bitrate), aim)
        let buffer = unsafe Int(parameters.rc.i_vbv_buffer_size)

        let demand = unsafe H264Level.Demand(
            geometry: setup.geometry, frameRate: framesPerSecond,
            references: max(1, Int(parameters.i_frame_reference), Int(parameters.i_dpb_size)), kilobitsPerSecond: rate,
            cpbKilobits: buffer)

        let optionLevel = unsafe parameters.i_level_idc > 0 ? Int(parameters.i_level_idc) : nil
        let level: H264Level
        if let idc = profileLevel.levelIDC ?? optionLevel, let fixed = H264Level.level(idc) {
            level = fixed
            try level.check(demand, setup.configuration)
            let most = level.kilobitsPerSecond(profile)
            let askedRate = setup.configuration.live.rate.averageBitRate
            if !isConstant, aim > most, (1...most * 1000).contains(askedRate) {
                // A pass aims higher than the requested rate if the pass before was too small.
                unsafe parameters.rc.i_bitrate = Int32(most)
            } else if aim > most {
                throw NaluError(
                    .conflict,
                    "\(isConstant ? "ConstantBitRate" : "AverageBitRate") \(aim * 1000) is above the "
                        + "\(most * 1000) bits per second of "
                        + "ProfileLevel \"\(profileLevel.name)\"; use an AutoLevel")
            }
        } else {
            let levels = setup.geometry.isInterlaced ? H264Level.interlaced : H264Level.all
            level = H264Level.lowest(demand, profile, among: levels)
        }
        guard !setup.geometry.isInterlaced || H264Level.interlacedLevels.contains(level.idc) else {
            throw NaluError(
                .conflict,
                "FieldCount is 2, but level \(level.name) of x264.params does not allow interlaced frames")
        }
        unsafe parameters.i_level_idc = Int32(level.idc)
        let references = level.references(macroblocks: frame)
        guard setup.configuration.referenceBufferCount <= references else {
            throw NaluError(
                .conflict,
                "ReferenceBufferCount \(setup.configuration.referenceBufferCount): level \(level.name) allows \(references) "
                    + "frames of \(setup.width)x\(setup.height); set at most \(references), or a higher level")
        }
        unsafe parameters.i_frame_reference = unsafe min(parameters.i_frame_reference, Int32(references))
        if setup.configuration.enableLTR {
            // As many frames as the level holds, unless the client has set a number.
            let asked = setup.configuration.referenceBufferCount
            unsafe parameters.i_dpb_size = Int32(asked > 0 ? asked : min(references, mostRecoveryReferences))
        }

        if setup.configuration.hasTemporalLayers, references < setup.configuration.baseLayerPeriod {
            throw NaluError(
                .conflict,
                "BaseLayerFrameRateFraction \(setup.configuration.baseLayerFrameRateFraction) needs "
                    + "\(setup.configuration.baseLayerPeriod) reference frames, and level \(level.name) allows \(references) "
                    + "frames of \(setup.width)x\(setup.height); set a higher level")
        }

        // Several passes need no VBV buffer, since the rate does not change within a pass. With a buffer, x264's
        // threads make a file's size differ from run to run. A fixed level has its own buffer.
        let needsVBVBuffer = setup.pass == nil || profileLevel.levelIDC != nil
        if !setup.configuration.x264.ownsRate && needsVBVBuffer {
            // x264 accepts rate changes only if it was opened with a VBV buffer.
            let loose = looseVBVBuffer(setup.configuration, level: level)
            let maxRate = loose.kilobitsPerSecond
            let maxBuffer = loose.kilobits
            if unsafe parameters.rc.i_vbv_max_bitrate == 0 {
                unsafe fillMaxRate(&parameters, maxRate)
                unsafe parameters.rc.i_vbv_buffer_size = Int32(maxBuffer)
            } else if profileLevel.levelIDC != nil {
                unsafe parameters.rc.i_vbv_max_bitrate = unsafe min(parameters.rc.i_vbv_max_bitrate, Int32(maxRate))
                unsafe parameters.rc.i_vbv_buffer_size = unsafe min(parameters.rc.i_vbv_buffer_size, Int32(maxBuffer))
            }
        }
    }
}
