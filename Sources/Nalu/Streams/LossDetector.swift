/// Finds lost pictures that other pictures refer to, in the samples of an H.264 or H.265 stream, so that a receiver
/// knows when to ask for a key frame.
///
/// Any thread may use it; samples must be given in decode order. The corresponding C type is `nalu_loss_detector`;
/// docs/loss-recovery.md says what is found for each codec.
public final class LossDetector: Sendable {
    /// What ``look(at:)`` reports. The numbers are those of C.
    public enum Finding: Int32, Sendable {
        case nothing = 0
        /// A picture is missing that other pictures refer to. H.264: this sample or a later one may refer to it. H.265:
        /// this sample can refer to it.
        case referenceMissing = 1
        /// H.265 only: this sample cannot be decoded, and later ones can. It is a leading picture (RASL or RADL) that
        /// can refer to a missing picture. No key frame is needed.
        case leadingPicture = 2
    }

    private struct State {
        var format: FormatDescription?
        var h264 = H264LossFinder()
        var hevc = HEVCLossFinder()
    }

    private let state = Guarded(State())

    public init() {}

    /// Checks the next sample for losses before it.
    ///
    /// Throws `.badData` when no slice of the sample can be read; it then counts as missing.
    public func look(at sample: Sample) throws(NaluError) -> Finding {
        try state.withLock { (state) throws(NaluError) in
            let format = sample.formatDescription
            if let before = state.format, before.codec != format.codec { state = State() }
            let isNew = state.format !== format
            if format.codec == FormatDescription.hevc {
                if isNew { try state.hevc.adopt(format) }
                state.format = format
                return try state.hevc.look(at: sample)
            }
            if isNew { try state.h264.adopt(format) }
            state.format = format
            return try state.h264.look(at: sample)
        }
    }
}
