internal import Nalu
private import Synchronization

/// Writes samples as they come back from the session.
final class StreamWriter: Counting {
    private struct State {
        var failure: Failure?
        var quality = QualityMeter()
    }

    private let counter = FrameCounter()
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
    var counts: RunCounts { counter.counts }

    var quality: QualityMeter { state.withLock { $0.quality } }

    /// The session's handler.
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

    /// Outside a session: counts and writes a sample.
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
