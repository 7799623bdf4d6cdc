internal import Nalu
internal import NaluBase
private import NaluLibc
private import Synchronization

/// Writes the samples of a session in the order of their delivery.
final class StreamWriter: Counting {
    private struct State {
        var failure: Failure?
        var quality = QualityMeter()
    }

    private let counter = FrameCounter()
    private let hasFailed = Atomic<Bool>(false)
    private let sink: any SampleSink
    private let onFailure: @Sendable () -> Void
    private let state = Guarded(State())

    /// - Parameter onFailure: called with the first failure, from the session's thread.
    init(_ sink: any SampleSink, onFailure: @escaping @Sendable () -> Void) {
        self.sink = sink
        self.onFailure = onFailure
    }

    /// The first error of the output or the encoder. Nothing is written after it.
    var failure: Failure? {
        hasFailed.load(ordering: .acquiring) ? state.withLock { $0.failure } : nil
    }

    /// The counts. Reading them does not wait for a slow output.
    var counts: RunCounts { counter.counts }

    /// The counts after the end of a run, with the numbers of frames that are in the output.
    var finalCounts: RunCounts { sink.corrected(counter.counts) }

    var quality: QualityMeter { state.withLock { $0.quality } }

    /// Handles a frame from the session.
    func take(_ frame: EncodedFrame) {
        guard !hasFailed.load(ordering: .relaxed) else { return }
        guard let sample = frame.sample else {
            if frame.flags.contains(.frameDropped) {
                counter.addDropped()
            } else {
                fail(Failure("the encoder failed with \(frame.status.name) (\(frame.status.rawValue))"))
            }
            return
        }
        do {
            try write(sample)
        } catch {
            fail(error as? Failure ?? Failure((error as? NaluError)?.message ?? "\(error)"))
        }
    }

    /// Counts and writes a sample that does not come from a session.
    func write(_ sample: Sample) throws {
        let count = try sink.write(sample)
        state.withLock { $0.quality.add(sample) }
        counter.add(bytes: count, isKeyFrame: sample.isKeyFrame)
    }

    private func fail(_ failure: Failure) {
        state.withLock { state in
            if state.failure == nil { state.failure = failure }
        }
        hasFailed.store(true, ordering: .releasing)
        onFailure()
    }
}

/// The average of the quality that the session measured.
struct QualityMeter {
    private var count = 0.0
    /// Mean squared errors, relative to the squared peak value: luma, both chroma components, and all samples.
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

    /// The text for the summary; nil if nothing was measured.
    ///
    /// PSNR is computed from the mean error, as FFmpeg does, so that one frame without errors does not make it
    /// infinite.
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
