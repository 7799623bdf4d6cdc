private import NaluLibc

/// The difference between a decoded picture and the encoder's input, which is the frame after conversion and scaling:
/// ``Sample/qualityMetrics``.
///
/// Errors are on the scale of the stream's samples: 0 to 255, or 0 to 1023 with 10 bits. The corresponding C type is
/// `nalu_quality_metrics`.
public struct QualityMetrics: Hashable, Sendable {
    /// The mean squared error of the luma plane; 0 if it is below 1e-10 of the squared peak.
    public let lumaMeanSquaredError: Double
    /// The mean squared error of the blue-difference chroma samples.
    public let chromaBlueMeanSquaredError: Double
    /// The mean squared error of the red-difference chroma samples.
    public let chromaRedMeanSquaredError: Double
    /// Peak signal-to-noise ratios in dB: 10 log10(peak² / error). They are infinite if the error is 0.
    public let lumaPSNR: Double
    public let chromaBluePSNR: Double
    public let chromaRedPSNR: Double
    /// The PSNR in dB of all samples together, luma and chroma.
    public let averagePSNR: Double
    /// Structural similarity of luma, at most 1: the mean over overlapping windows of 8x8 samples.
    public let ssim: Double

    /// Creates metrics from PSNR values, which equal `ceiling` if there is no error.
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
