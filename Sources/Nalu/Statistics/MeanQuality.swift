private import NaluLibc

/// The quality of many samples as one number each.
struct MeanQuality {
    private var count = 0.0
    private var sumOfErrors = 0.0
    private var sumOfSSIM = 0.0

    mutating func note(_ metrics: QualityMetrics) {
        count += 1
        // Part of the peak's square; 0 where the ratio is infinite.
        sumOfErrors += pow(10, -metrics.averagePSNR / 10)
        sumOfSSIM += metrics.ssim
    }

    /// Of the mean error, so that no single sample without one makes it infinite.
    var psnr: Double { -10 * log10(sumOfErrors / count) }
    var ssim: Double { sumOfSSIM / count }
}
