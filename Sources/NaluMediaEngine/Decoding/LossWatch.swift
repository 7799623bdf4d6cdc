internal import CNalu

/// A `nalu_loss_detector` over the samples of a session.
@safe
final class LossWatch {
    enum Loss {
        case none
        /// A reference is missing before the sample.
        case missing
        /// The sample itself, a leading picture, cannot be decoded.
        case leading
        /// Nobody can tell what picture the sample is.
        case unreadable
    }

    private var detector: OpaquePointer?

    init() {
        // Without memory for it nothing is watched, and the first sample fails for the same reason.
        _ = unsafe nalu_loss_detector_create(&detector)
    }

    deinit {
        unsafe nalu_loss_detector_release(detector)
    }

    func look(at sample: OpaquePointer) -> Loss {
        var finding: Int32 = 0
        let status = unsafe nalu_loss_detector_check(detector, sample, &finding)
        if status == NALU_STATUS_BAD_DATA { return .unreadable }
        switch Int(finding) {
        case NALU_LOSS_REFERENCE: return .missing
        case NALU_LOSS_LEADING: return .leading
        default: return .none
        }
    }
}
