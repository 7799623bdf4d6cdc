internal import CX264

extension X264Parameters {
    static func fillTiming(_ parameters: inout x264_param_t, _ setup: EncoderSetup) {
        let rate = setup.configuration.live.rate.assumedFrameRate
        unsafe parameters.i_fps_num = rate.numerator
        unsafe parameters.i_fps_den = rate.denominator
        // To follow presentation times, x264 delays each frame until the next one arrives. A session without delay
        // counts frames instead, and RateControl scales the rate by the frames' real durations.
        unsafe parameters.b_vfr_input = setup.configuration.isLowDelay ? 0 : 1
        if ticksAreFrames(setup.configuration) {
            unsafe parameters.i_timebase_num = rate.denominator
            unsafe parameters.i_timebase_den = rate.numerator
        } else {
            unsafe parameters.i_timebase_num = 1
            unsafe parameters.i_timebase_den = UInt32(setup.ticksPerSecond)
        }
    }

    /// Whether presentation times are counted in frames of ExpectedFrameRate.
    ///
    /// With NAL HRD parameters, the tick is the unit of cpb_removal_delay and dpb_output_delay. For each frame of
    /// reordering, x264 adds two field ticks to a frame's delay (slicetype.c, `calculate_durations`). This is correct
    /// only if a frame lasts two field ticks.
    static func ticksAreFrames(_ configuration: SessionConfiguration) -> Bool {
        configuration.constantBitRate > 0 && !configuration.isLowDelay
    }

    static func fillSignal(_ parameters: inout x264_param_t, _ setup: EncoderSetup) {
        let configuration = setup.configuration
        let signal = configuration.signal
        unsafe parameters.vui.b_fullrange = setup.isFullRange ? 1 : 0
        unsafe parameters.vui.i_chroma_loc = Int32(
            signal.chromaLocation(ofRGB: setup.chromaIsCentred, isInterlaced: setup.geometry.isInterlaced))
        unsafe parameters.vui.i_colorprim = Int32(signal.primaries(height: setup.height))
        unsafe parameters.vui.i_transfer = Int32(signal.transferOrDefault)
        unsafe parameters.vui.i_colmatrix = Int32(signal.matrix(height: setup.height))
        if let ratio = configuration.pixelAspectRatio {
            unsafe parameters.vui.i_sar_width = Int32(ratio.horizontal)
            unsafe parameters.vui.i_sar_height = Int32(ratio.vertical)
        }
    }
}
