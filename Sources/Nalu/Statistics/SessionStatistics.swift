/// What a session has done since it was created: ``CompressionSession/statistics``.
///
/// Frames are counted when their handler has returned, so that at any moment ``acceptedFrames`` is the sum of
/// ``encodedFrames``, ``droppedFrames``, ``failedFrames`` and ``pendingFrames``; a frame whose handler asks is still
/// pending. The corresponding C type is `nalu_session_statistics`.
public struct SessionStatistics: Sendable {
    /// Frames that encode took; refused ones count nowhere.
    public internal(set) var acceptedFrames: UInt64 = 0
    /// Frames that gave a sample.
    public internal(set) var encodedFrames: UInt64 = 0
    /// Frames that came back with ``EncodeInfoFlags/frameDropped``, also those of ``CompressionSession/invalidate()``.
    public internal(set) var droppedFrames: UInt64 = 0
    /// Frames that came back with a status and without that flag.
    public internal(set) var failedFrames: UInt64 = 0
    /// Frames whose handler has not returned.
    public internal(set) var pendingFrames: UInt64 = 0
    /// Samples that are key frames (IDR).
    public internal(set) var keyFrames: UInt64 = 0
    /// Bytes of all samples, as ``Sample/data`` counts them: without parameter sets.
    public internal(set) var bytes: UInt64 = 0

    /// The mean of the samples' ``Sample/averageQP``, each sample counting the same; NaN before the first.
    public internal(set) var meanQP = Double.nan
    /// ``Sample/averageQP`` of the last sample; NaN before the first.
    public internal(set) var lastQP = Double.nan

    /// Bits a second of decode time over the samples of its last second, the second rounded up to whole samples; of
    /// the last 1024 samples where these are shorter than that. A sample lasts until the next one's decode time, so the
    /// last one is not in it yet. NaN before the second sample. Where decode times go back it begins anew.
    public internal(set) var currentBitRate = Double.nan
    /// Bits a second of decode time over all samples but the last; NaN before the second sample.
    public internal(set) var meanBitRate = Double.nan

    /// Seconds that the session's thread was in the encoder for a frame: half of the last 256 frames that the encoder
    /// took were no longer in it. Conversion, waiting, the handler, and the opening and emptying of the encoder are
    /// not in it. An encoder with threads of its own returns before the frame is done; then this is the time in which
    /// it takes a frame. NaN before the first frame; frames that failed in the encoder do not count.
    public internal(set) var encodeTimeP50 = Double.nan
    /// The same for 99 percent of these frames (nearest rank: always the time of one of them).
    public internal(set) var encodeTimeP99 = Double.nan
    /// The longest such time of all frames.
    public internal(set) var longestEncodeTime = Double.nan

    /// With CalculateMeanSquaredError: the PSNR in dB of the mean squared error of all samples' pictures, luma and chroma
    /// together, each picture counting the same; infinite where none has an error. NaN before the first, and without the
    /// property.
    public internal(set) var meanPSNR = Double.nan
    /// The mean of ``QualityMetrics/ssim``; NaN as ``meanPSNR`` is.
    public internal(set) var meanSSIM = Double.nan

    init() {}
}
