internal import Nalu
private import NaluLibc

/// What the session measured of the frames, averaged.
struct QualityMeter {
    private var count = 0.0
    /// Mean squared errors as parts of the peak's square: luma, both chromas, all samples together.
    private var errors = (luma: 0.0, blue: 0.0, red: 0.0, all: 0.0)
    private var ssim = 0.0
    private var worst = Double.infinity

    mutating func add(_ sample: Sample) {
        guard let metrics = sample.qualityMetrics else { return }
        func error(_ decibels: Double) -> Double { pow(10, -decibels / 10) }
        count += 1
        errors.luma += error(metrics.lumaPSNR)
        errors.blue += error(metrics.chromaBluePSNR)
        errors.red += error(metrics.chromaRedPSNR)
        errors.all += error(metrics.averagePSNR)
        ssim += metrics.ssim
        worst = min(worst, metrics.averagePSNR)
    }

    /// For the summary; nil when nothing was measured.
    ///
    /// PSNR is that of the mean error, as FFmpeg has it, so that one frame without errors does not make it infinite.
    var text: String? {
        guard count > 0 else { return nil }
        func psnr(_ sum: Double) -> String { decibels(-10 * log10(sum / count)) }
        return "PSNR \(psnr(errors.all)) dB (Y \(psnr(errors.luma)), Cb \(psnr(errors.blue)), Cr \(psnr(errors.red)); "
            + "worst frame \(decibels(worst))), SSIM \(NumberText.decimal(ssim / count, places: 5))"
    }

    private func decibels(_ number: Double) -> String {
        number.isFinite ? NumberText.decimal(number, places: 2) : "infinite"
    }
}
