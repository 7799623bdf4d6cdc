/// Follows the samples of an H.264 or H.265 stream in decoding order, and tells where pictures are missing to which others
/// refer.
///
/// Any thread may use it; samples must be looked at in their order. The corresponding C type is `nalu_loss_detector`, whose
/// header says what cannot be seen.
public final class LossDetector: Sendable {
    /// What there is to say before a sample is decoded. Numbers are those of C.
    public enum Finding: Int32, Sendable {
        case nothing = 0
        /// A picture is missing to which this or a later one may refer, H.265: to which this one does.
        case referenceMissing = 1
        /// H.265: the sample itself is a leading picture, RASL or RADL, and cannot be decoded, because a picture that it
        /// refers to is missing. So are others that refer to it; no trailing picture does.
        case leadingPicture = 2
    }

    private struct State {
        var format: FormatDescription?
        var h264 = H264LossFinder()
        var hevc = HEVCLossFinder()
    }

    private let state = Guarded(State())

    public init() {}

    /// Looks at the next sample.
    ///
    /// Throws `.badData` when the sample has no slice that can be read: it counts as missing.
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
