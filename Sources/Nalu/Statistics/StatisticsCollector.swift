private import NaluLibc

/// Gathers a session's statistics. The worker keeps it to itself, and publishes ``values`` whenever it takes the lock
/// for a frame anyway.
struct StatisticsCollector {
    /// Frames whose encode times count for the percentiles.
    static let window = 256

    /// All but what the session's ledger knows: accepted and pending frames.
    private(set) var values = SessionStatistics()
    private var times = Percentiles(window: window)
    private var rate = BitRateMeter()
    private var sumOfQP = 0.0
    private var knownQPs = 0.0
    private var quality = MeanQuality()

    /// The encoder took a frame, and was so long at it.
    mutating func noteEncode(seconds: Double) {
        times.add(seconds)
        values.encodeTimeP50 = times.percentile(50)
        values.encodeTimeP99 = times.percentile(99)
        // NaN, the first value, is less than nothing.
        if !(values.longestEncodeTime >= seconds) {
            values.longestEncodeTime = seconds
        }
    }

    /// A frame gave a sample.
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

    /// A frame gave none.
    mutating func noteLoss(isDrop: Bool) {
        if isDrop {
            values.droppedFrames += 1
        } else {
            values.failedFrames += 1
        }
    }
}

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
