private import NaluLibc

/// How far a decoded picture is from the one that the encoder was given: ``Sample/qualityMetrics``.
///
/// The picture given is the one after conversion and scaling. Errors are on the scale of
/// the stream's samples, 0 to 255 or, with 10 bits, 0 to 1023. The corresponding C type is `nalu_quality_metrics`.
public struct QualityMetrics: Hashable, Sendable {
    /// The mean squared error of the luma samples; 0 where the encoder finds none (below 1e-10 of the peak's square).
    public let lumaMeanSquaredError: Double
    /// That of the blue-difference chroma samples.
    public let chromaBlueMeanSquaredError: Double
    /// That of the red-difference chroma samples.
    public let chromaRedMeanSquaredError: Double
    /// Peak signal-to-noise ratios in dB: 10 log10(peak² / error); infinite where the error is 0.
    public let lumaPSNR: Double
    public let chromaBluePSNR: Double
    public let chromaRedPSNR: Double
    /// Of all samples together, luma and chroma.
    public let averagePSNR: Double
    /// Structural similarity of luma, at most 1: the mean over overlapping windows of 8x8 samples.
    public let ssim: Double

    /// From ratios that stand at `ceiling` where there is no error.
    init(
        lumaPSNR: Double, chromaBluePSNR: Double, chromaRedPSNR: Double, averagePSNR: Double, ssim: Double,
        ceiling: Double, peak: Double
    ) {
        func ratio(_ decibels: Double) -> Double { decibels >= ceiling ? .infinity : decibels }
        func error(_ decibels: Double) -> Double { peak * peak * pow(10, -ratio(decibels) / 10) }
        self.lumaPSNR = ratio(lumaPSNR)
        self.chromaBluePSNR = ratio(chromaBluePSNR)
        self.chromaRedPSNR = ratio(chromaRedPSNR)
        self.averagePSNR = ratio(averagePSNR)
        self.ssim = ssim
        lumaMeanSquaredError = error(lumaPSNR)
        chromaBlueMeanSquaredError = error(chromaBluePSNR)
        chromaRedMeanSquaredError = error(chromaRedPSNR)
    }
}
