internal import Nalu
private import Synchronization

/// Writes samples as they come back from the session.
final class StreamWriter: Sendable {
    private struct State {
        var failure: Failure?
        var quality = QualityMeter()
    }

    /// What has been written so far.
    struct Counts {
        var frames: Int
        var keyFrames: Int
        /// Frames that the session gave back without a sample.
        var dropped: Int
        /// Of the samples, without what a container adds.
        var bytes: Int
    }

    private let frames = Atomic<Int>(0)
    private let keyFrames = Atomic<Int>(0)
    private let dropped = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    private let hasFailed = Atomic<Bool>(false)
    private let sink: any SampleSink
    private let onFailure: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter onFailure: called with the first failure, from the session's thread.
    init(_ sink: any SampleSink, onFailure: @escaping @Sendable () -> Void) {
        self.sink = sink
        self.onFailure = onFailure
    }

    /// The first failure to write, or of the encoder; from then on nothing is written.
    var failure: Failure? {
        hasFailed.load(ordering: .acquiring) ? state.withLock { $0.failure } : nil
    }

    /// Never waits for a slow output.
    var counts: Counts {
        Counts(
            frames: frames.load(ordering: .relaxed), keyFrames: keyFrames.load(ordering: .relaxed),
            dropped: dropped.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed))
    }

    var quality: QualityMeter { state.withLock { $0.quality } }

    /// The session's handler.
    func take(_ frame: EncodedFrame) {
        guard !hasFailed.load(ordering: .relaxed) else { return }
        guard let sample = frame.sample else {
            if frame.flags.contains(.frameDropped) {
                dropped.wrappingAdd(1, ordering: .relaxed)
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

    private func write(_ sample: Sample) throws {
        let count = try sink.write(sample)
        state.withLock { $0.quality.add(sample) }
        bytes.wrappingAdd(count, ordering: .relaxed)
        frames.wrappingAdd(1, ordering: .relaxed)
        if sample.isKeyFrame { keyFrames.wrappingAdd(1, ordering: .relaxed) }
    }

    private func fail(_ failure: Failure) {
        state.withLock { state in
            if state.failure == nil { state.failure = failure }
        }
        hasFailed.store(true, ordering: .releasing)
        onFailure()
    }
}
