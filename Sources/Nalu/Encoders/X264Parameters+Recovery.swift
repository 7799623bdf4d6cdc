internal import CX264

extension X264Parameters {
    /// Frames that an automatic level has room for: what a receiver acknowledges after that many is too late.
    static let recoveryReferences = 8

    static func fillRecovery(_ parameters: inout x264_param_t, _ configuration: SessionConfiguration) {
        if configuration.enableLTR {
            // One reference a frame: then it is known what a frame was made from.
            unsafe parameters.i_frame_reference = 1
            unsafe parameters.i_dpb_size = Int32(
                configuration.referenceBufferCount > 0 ? configuration.referenceBufferCount : recoveryReferences)
        }
        if configuration.allowIntraRefresh {
            unsafe parameters.b_intra_refresh = 1
            unsafe parameters.i_frame_reference = 1
            unsafe parameters.i_dpb_size = 1
            // No key frames of the encoder's own.
            unsafe parameters.i_scenecut_threshold = 0
        }
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
