private import NaluLibc

/// Gathers a session's statistics. Only the worker uses it, and publishes ``values`` when it holds the lock for a
/// frame.
struct StatisticsCollector {
    /// The number of frames whose encode times count for the percentiles.
    static let window = 256

    /// The statistics except accepted and pending frames, which the session's ledger counts.
    private(set) var values = SessionStatistics()
    private var times = Percentiles(window: window)
    private var rate = BitRateMeter()
    private var sumOfQP = 0.0
    private var knownQPs = 0.0
    private var quality = MeanQuality()

    /// Notes the duration of one call of the encoder.
    mutating func noteEncode(seconds: Double) {
        times.add(seconds)
        values.encodeTimeP50 = times.percentile(50)
        values.encodeTimeP99 = times.percentile(99)
        // Also true for NaN, the initial value.
        if !(values.longestEncodeTime >= seconds) {
            values.longestEncodeTime = seconds
        }
    }

    /// Notes a frame that became a sample.
    mutating func noteSample(
        bytes: Int, isKeyFrame: Bool, averageQP: Double, quality metrics: QualityMetrics?, decodeTime: Double
    ) {
        values.encodedFrames += 1
        values.bytes += UInt64(bytes)
        if isKeyFrame {
            values.keyFrames += 1
        }
        values.lastQP = averageQP
        if !averageQP.isNaN {
            sumOfQP += averageQP
            knownQPs += 1
            values.meanQP = sumOfQP / knownQPs
        }
        if let metrics {
            quality.note(metrics)
            values.meanPSNR = quality.psnr
            values.meanSSIM = quality.ssim
        }
        rate.note(bits: Double(bytes) * 8, time: decodeTime)
        values.currentBitRate = rate.current
        values.meanBitRate = rate.mean
    }

    /// Notes a frame that did not become a sample.
    mutating func noteLoss(isDrop: Bool) {
        if isDrop {
            values.droppedFrames += 1
        } else {
            values.failedFrames += 1
        }
    }
}

/// The mean quality of many samples.
struct MeanQuality {
    private var count = 0.0
    private var sumOfErrors = 0.0
    private var sumOfSSIM = 0.0

    mutating func note(_ metrics: QualityMetrics) {
        count += 1
        // The error is a fraction of the squared peak; 0 if the ratio is infinite.
        sumOfErrors += pow(10, -metrics.averagePSNR / 10)
        sumOfSSIM += metrics.ssim
    }

    /// The PSNR of the mean error, so that a single sample without error does not make it infinite.
    var psnr: Double { -10 * log10(sumOfErrors / count) }
    var ssim: Double { sumOfSSIM / count }
}
