internal import CX264

extension X264Parameters {
    static func fillReach(_ parameters: inout x264_param_t, _ configuration: SessionConfiguration) {
        if configuration.referenceBufferCount > 0 {
            unsafe parameters.i_frame_reference = Int32(configuration.referenceBufferCount)
            // With a pyramid of B-frames, x264 announces at least four references.
            if configuration.referenceBufferCount < 4 {
                unsafe parameters.i_bframe_pyramid = X264_B_PYRAMID_NONE
            }
        }
        if !configuration.allowBPyramid {
            unsafe parameters.i_bframe_pyramid = X264_B_PYRAMID_NONE
        }
        if let count = configuration.suggestedLookAheadFrameCount {
            unsafe parameters.rc.i_lookahead = Int32(count)
            // The trellis search would delay as many frames as it compares.
            if unsafe parameters.i_bframe_adaptive == X264_B_ADAPT_TRELLIS && max(parameters.i_bframe, 3) * 4 > count {
                unsafe parameters.i_bframe_adaptive = X264_B_ADAPT_FAST
            }
            if count == 0 {
                unsafe parameters.rc.b_mb_tree = 0
            }
        }
        if let most = configuration.maxLookAheadFrameCount, configuration.suggestedLookAheadFrameCount == nil {
            unsafe fillMostLookAhead(&parameters, Int32(most))
        }
        if configuration.maximizePowerEfficiency == true {
            unsafe parameters.i_threads = 1
            unsafe parameters.i_lookahead_threads = 1
        }
    }

    /// The bits that a macroblock gets for the frames that will refer to it grow with the number of frames looked at.
    /// With fewer frames, the same spread needs a stronger weight. x264 derives the weight from this number: 5 (1 -
    /// 0.5), in place of 5 (1 - 0.6).
    private static let compressionOfShortLookAhead: Float = 0.5
    private static let usualCompression: Float = 0.6

    private static func fillMostLookAhead(_ parameters: inout x264_param_t, _ most: Int32) {
        guard unsafe parameters.rc.i_lookahead > most else { return }
        unsafe parameters.rc.i_lookahead = most
        if unsafe parameters.i_bframe_adaptive == X264_B_ADAPT_TRELLIS && max(parameters.i_bframe, 3) * 4 > most {
            unsafe parameters.i_bframe_adaptive = X264_B_ADAPT_FAST
        }
        if most == 0 {
            unsafe parameters.rc.b_mb_tree = 0
        } else if unsafe parameters.rc.b_mb_tree != 0 && parameters.rc.f_qcompress == usualCompression {
            // Any other value is that of a tune, and stays.
            unsafe parameters.rc.f_qcompress = compressionOfShortLookAhead
        }
    }

    static func fillStructure(_ parameters: inout x264_param_t, _ configuration: SessionConfiguration) {
        if let mode = configuration.entropyMode {
            unsafe parameters.b_cabac = mode == .cabac ? 1 : 0
        }
        let delay = configuration.maxFrameDelayCount
        if delay > 0 && !configuration.isLowDelay {
            // x264 delays max(lookahead, B-frames) frames, one for timestamps, and one for each further frame thread. A
            // B-frame is delayed by one more frame, the frame that it refers to; in a pyramid by two more.
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
        if configuration.moreFramesBeforeStart || configuration.moreFramesAfterEnd {
            // Otherwise the initial QP in the parameter sets would depend on the quality.
            unsafe parameters.b_stitchable = 1
        }
        if configuration.allowOpenGOP {
            unsafe parameters.b_open_gop = 1
            // At a smaller distance from the last key frame, x264 would make an I-frame that is not a key frame.
            unsafe parameters.i_keyint_min = 1
        }
        if !configuration.allowMultipleSlices {
            // Without slices to share, the threads would work on several frames, which is delay.
            if unsafe parameters.b_sliced_threads != 0 {
                unsafe parameters.i_threads = 1
            }
            unsafe parameters.b_sliced_threads = 0
            unsafe parameters.i_slice_count = 1
        }
    }
}
