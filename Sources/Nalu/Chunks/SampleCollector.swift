/// Collects the samples of a session.
final class SampleCollector: Sendable {
    private struct State {
        var samples: [Sample] = []
        var failure: Status?
        var keepsSamples = true
    }

    private let state = Guarded(State())

    /// - Parameter keepsSamples: false if only failures matter.
    init(keepsSamples: Bool = true) {
        state.withLock { $0.keepsSamples = keepsSamples }
    }

    /// The handler of the session.
    @Sendable func take(_ frame: EncodedFrame) {
        state.withLock { state in
            if let sample = frame.sample {
                if state.keepsSamples { state.samples.append(sample) }
            } else if !frame.flags.contains(.frameDropped) {
                state.failure = state.failure ?? frame.status
            }
        }
    }

    /// Throws if a frame could not be encoded.
    func check(_ session: CompressionSession) throws(NaluError) {
        if let failure = state.withLock({ $0.failure }) { throw NaluError(failure, session.lastError) }
    }

    /// Returns the samples in decode order. Throws if a frame could not be encoded.
    func samples(of session: CompressionSession) throws(NaluError) -> [Sample] {
        try check(session)
        return state.withLock { $0.samples }
    }
}
