/// The statistics of a session since it was created: ``CompressionSession/statistics``.
///
/// A frame is counted when its handler has returned. At any moment ``acceptedFrames`` is therefore the sum of
/// ``encodedFrames``, ``droppedFrames``, ``failedFrames`` and ``pendingFrames``. Inside its own handler a frame is
/// still pending. The corresponding C type is `nalu_session_statistics`.
public struct SessionStatistics: Sendable {
    /// Accepted frames. Refused frames are not counted anywhere.
    public internal(set) var acceptedFrames: UInt64 = 0
    /// Frames that became samples.
    public internal(set) var encodedFrames: UInt64 = 0
    /// Frames that were returned with ``EncodeInfoFlags/frameDropped``, including those of
    /// ``CompressionSession/invalidate()``.
    public internal(set) var droppedFrames: UInt64 = 0
    /// Frames that were returned with a failure status and without that flag.
    public internal(set) var failedFrames: UInt64 = 0
    /// Frames whose handler has not returned yet.
    public internal(set) var pendingFrames: UInt64 = 0
    /// Samples that are key frames (IDR).
    public internal(set) var keyFrames: UInt64 = 0
    /// Bytes of all samples, without parameter sets.
    public internal(set) var bytes: UInt64 = 0

    /// The mean of the samples' ``Sample/averageQP``; NaN before the first sample.
    public internal(set) var meanQP = Double.nan
    /// ``Sample/averageQP`` of the last sample; NaN before the first.
    public internal(set) var lastQP = Double.nan

    /// Bits per second over the last second of decode time, rounded up to whole samples, or over the last 1024 samples
    /// if these are shorter. A sample lasts until the next decode time, so the last one is not included. NaN before the
    /// second sample. The value restarts when decode times go back.
    public internal(set) var currentBitRate = Double.nan
    /// Bits per second of decode time over all samples but the last; NaN before the second sample.
    public internal(set) var meanBitRate = Double.nan

    /// The seconds per frame that the session's thread spent in the encoder: the median of the last 256 frames.
    /// Conversion, waiting and the handler are not included. An encoder with its own threads returns before a frame is
    /// complete; this is then its time per frame. NaN before the first frame.
    public internal(set) var encodeTimeP50 = Double.nan
    /// The 99th percentile of the same times.
    public internal(set) var encodeTimeP99 = Double.nan
    /// The longest such time of all frames.
    public internal(set) var longestEncodeTime = Double.nan

    /// The PSNR in dB of the mean squared error over all samples, luma and chroma; may be infinite. NaN without
    /// CalculateMeanSquaredError.
    public internal(set) var meanPSNR = Double.nan
    /// The mean of ``QualityMetrics/ssim``; NaN without CalculateMeanSquaredError.
    public internal(set) var meanSSIM = Double.nan

    init() {}
}
