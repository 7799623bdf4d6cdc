/// The checks of a frame before it is accepted.
extension SessionCore {
    static func checkOrder(
        _ presentationTime: MediaTime, _ options: FrameOptions, _ state: SessionState
    ) throws(NaluError) {
        try state.multiPass?.check(presentationTime, forceKeyFrame: options.forceKeyFrame)
        if let last = state.lastTime, presentationTime <= last {
            throw NaluError(
                .invalidTime,
                "presentation_time is \(presentationTime); expected more than that of the frame before, \(last)")
        }
    }

    /// Throws if there is no room for decode times. With reordering they begin before the first presentation time.
    static func checkRoom(before time: MediaTime, _ state: SessionState) throws(NaluError) {
        guard let depth = state.open?.reorderDepth, !DecodeTimeline.hasRoom(before: time, reorderDepth: depth) else {
            return
        }
        throw NaluError(
            .invalidTime,
            "presentation_time is \(time), and the frames are reordered; expected a value of at least "
                + "\(Int64.min + Int64(depth)), so that \(depth) decode times fit before it")
    }

    /// Checks the options of a frame against the configuration that the encoder has or will have.
    static func check(
        _ options: FrameOptions, _ recovery: RecoveryRequest?, _ state: SessionState
    ) throws(NaluError) {
        guard options.baseFrameQP != nil || recovery != nil || options.qpOffsets != nil else { return }
        let configuration = state.open?.setup.configuration ?? state.configuration
        try checkQP(options, configuration)
        try recovery?.check(configuration, accepted: state.ledger.accepted)
        if let open = state.open { try checkOffsets(options, open) }
    }

    private static func checkQP(_ options: FrameOptions, _ configuration: SessionConfiguration) throws(NaluError) {
        guard options.baseFrameQP == nil || configuration.own.leavesQPToFrames(in: configuration) else {
            throw NaluError(
                .conflict,
                "base_frame_qp_plus_1 is set, but rate control determines the QP; "
                    + configuration.own.adviceForFrameQP)
        }
    }

    private static func checkOffsets(
        _ options: FrameOptions, _ open: SessionState.OpenEncoder
    ) throws(NaluError) {
        if options.qpOffsets != nil, let reason = open.reasonAgainstQPOffsets {
            throw NaluError(.conflict, "the frame has QP offsets, but \(reason)")
        }
    }
}
