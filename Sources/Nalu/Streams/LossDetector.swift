/// Finds lost pictures that other pictures refer to, in the samples of an H.264 or H.265 stream. A receiver can then
/// request a key frame.
///
/// Any thread may use it. Samples must arrive in decode order. The corresponding C type is `nalu_loss_detector`;
/// docs/loss-recovery.md describes what is found for each codec.
public final class LossDetector: Sendable {
    /// The result of ``look(at:)``.
    public typealias Finding = LossFinding

    private struct State {
        var format: FormatDescription?
        var detector = StreamLossDetector()
    }

    private let state = Guarded(State())

    public init() {}

    /// Checks the next sample for losses before it.
    ///
    /// Throws `.unsupportedDataFormat` for audio. Throws `.badData` if no slice of the sample can be read. The sample then counts as missing.
    public func look(at sample: Sample) throws(NaluError) -> Finding {
        try sample.formatDescription.requireVideo()
        return try state.withLock { (state) throws(NaluError) in
            let format = sample.formatDescription
            if state.format !== format {
                let codec: VideoCodec = format.codec == FormatDescription.hevc ? .hevc : .h264
                state.detector.adopt(codec, parameterSets: format.parameterSets)
                state.format = format
            }
            let report = unsafe state.detector.look(
                at: sample.data, lengthSize: format.lengthSize, sample.lossTimes)
            return try report.loss.get()
        }
    }
}
