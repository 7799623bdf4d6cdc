internal import CX264

extension X264Parameters {
    /// The number of references with an automatic level. A frame that a receiver acknowledges after more frames than
    /// these is no longer held.
    static let recoveryReferences = 8
    /// The most references. With more, x264's `frame_num` has 5 bits, and in CAVLC a slice cannot grow by whole bytes
    /// to 16 bits.
    static let mostRecoveryReferences = 14

    static func fillRecovery(_ parameters: inout x264_param_t, _ configuration: SessionConfiguration) {
        if configuration.enableLTR {
            // With one reference per frame, it is known which frame each frame was made from.
            unsafe parameters.i_frame_reference = 1
            unsafe parameters.i_dpb_size = Int32(
                configuration.referenceBufferCount > 0 ? configuration.referenceBufferCount : recoveryReferences)
            // An IDR frame at a scene cut would remove the frames that the receiver has acknowledged. An I frame keeps
            // them.
            unsafe parameters.i_keyint_min = X264_KEYINT_MAX_INFINITE
        }
        if configuration.hasTemporalLayers {
            // x264 keeps forgotten frames in their places until as many frames have followed.
            unsafe parameters.i_frame_reference = 1
            let least = max(configuration.baseLayerPeriod, configuration.referenceBufferCount)
            let keepsMore = configuration.enableLTR && configuration.referenceBufferCount == 0
            unsafe parameters.i_dpb_size = Int32(keepsMore ? max(least, recoveryReferences) : least)
        }
        if configuration.allowIntraRefresh {
            unsafe parameters.b_intra_refresh = 1
            unsafe parameters.i_frame_reference = 1
            unsafe parameters.i_dpb_size = 1
            // The encoder must not make key frames by itself.
            unsafe parameters.i_scenecut_threshold = 0
        }
    }

    /// Returns the size of `frame_num` with EnableLTR, in bits. x264 uses as few bits as the standard allows. When the
    /// count wraps, FFmpeg's picture order depends on that one frame. If the frame is lost, FFmpeg displays nothing
    /// until the count has reached the same number again.
    ///
    /// CAVLC slices grow by whole bytes, because I_PCM macroblocks are aligned to bytes: by 8 bits, to which a shorter
    /// slice_type adds 4.
    static func frameNumberBits(_ own: SequenceParameterSet, usesCABAC: Bool) -> Int {
        let most = 16
        return usesCABAC || own.frameNumberBits + 12 == most ? most : min(own.frameNumberBits + 8, most)
    }

    /// Returns the size of picture order counts in slices that need them; nil if x264's picture order count type stays.
    /// Type 2 allows no two pictures in a row to which no other refers (7.4.2.1.1).
    static func picOrderCountBits(_ configuration: SessionConfiguration) -> Int? {
        configuration.baseLayerPeriod > 2 ? 8 : nil
    }

    /// Returns the bytes by which a rewritten header can enlarge a slice: those of the fields, and emulation prevention
    /// bytes in the header and at the beginning of the slice data; 0 if headers stay.
    static func sliceGrowth(_ configuration: SessionConfiguration) -> Int {
        guard configuration.enableLTR || configuration.hasTemporalLayers else { return 0 }
        return 5 + (picOrderCountBits(configuration) ?? 0) / 8
    }

    /// Throws if `x264.params` has changed a setting that recovery from loss needs.
    static func checkRecovery(
        _ parameters: x264_param_t, delay: Int, _ configuration: SessionConfiguration
    ) throws(NaluError) {
        guard configuration.recovers || configuration.hasTemporalLayers else { return }
        let name =
            configuration.recovers
            ? configuration.enableLTR ? "EnableLTR true" : "NaluAllowIntraRefresh true"
            : "BaseLayerFrameRateFraction \(configuration.baseLayerFrameRateFraction)"
        guard delay == 0, unsafe parameters.i_bframe == 0, unsafe parameters.i_frame_reference == 1 else {
            throw unsafe NaluError(
                .conflict,
                "\(name) needs one reference per frame and no delay, but x264.params "
                    + "\"\(NaluError.excerpt(configuration.x264.options.text))\" sets \(parameters.i_frame_reference) "
                    + "references and delays \(delay) frames")
        }
    }
}
