internal import CX264

extension X264Parameters {
    /// Frames that an automatic level has room for: what a receiver acknowledges after that many is too late.
    static let recoveryReferences = 8
    /// With more, x264's `frame_num` has 5 bits, and in CAVLC there is no whole number of bytes to 16.
    static let mostRecoveryReferences = 14

    static func fillRecovery(_ parameters: inout x264_param_t, _ configuration: SessionConfiguration) {
        if configuration.enableLTR {
            // One reference a frame: then it is known what a frame was made from.
            unsafe parameters.i_frame_reference = 1
            unsafe parameters.i_dpb_size = Int32(
                configuration.referenceBufferCount > 0 ? configuration.referenceBufferCount : recoveryReferences)
            // An IDR frame at a scene cut would end what the receiver has acknowledged; an I frame leaves it.
            unsafe parameters.i_keyint_min = X264_KEYINT_MAX_INFINITE
        }
        if configuration.allowIntraRefresh {
            unsafe parameters.b_intra_refresh = 1
            unsafe parameters.i_frame_reference = 1
            unsafe parameters.i_dpb_size = 1
            // No key frames of the encoder's own.
            unsafe parameters.i_scenecut_threshold = 0
        }
    }

    /// Bits of `frame_num` with EnableLTR. x264 takes as few as the standard allows. Where the count begins anew, FFmpeg's
    /// order of pictures depends on the very frame: if it is lost, FFmpeg shows nothing until the count has come as far
    /// again.
    ///
    /// CAVLC slices grow by whole bytes, because I_PCM macroblocks are aligned to bytes: by 8 bits, to which a shorter
    /// slice_type adds 4.
    static func frameNumberBits(_ own: SequenceParameterSet, usesCABAC: Bool) -> Int {
        let most = 16
        return usesCABAC || own.frameNumberBits + 12 == most ? most : min(own.frameNumberBits + 8, most)
    }

    /// What `x264.params` may have undone.
    static func checkRecovery(
        _ parameters: x264_param_t, delay: Int, _ configuration: SessionConfiguration
    ) throws(NaluError) {
        guard configuration.enableLTR || configuration.allowIntraRefresh else { return }
        let name = configuration.enableLTR ? "EnableLTR" : "NaluAllowIntraRefresh"
        guard delay == 0, unsafe parameters.i_bframe == 0, unsafe parameters.i_frame_reference == 1 else {
            throw unsafe NaluError(
                .conflict,
                "\(name) true needs an encoder with one reference a frame that holds nothing back, and x264.params "
                    + "\"\(NaluError.excerpt(configuration.x264.options.text))\" makes one of \(parameters.i_frame_reference) "
                    + "references that holds back \(delay) frames")
        }
    }
}
