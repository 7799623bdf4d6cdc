internal import Nalu
internal import NaluBase

/// The worker's side of a session: takes samples out of the queue and decodes them until the session ends.
///
/// `@unchecked Sendable`: the thread that sends the first sample makes the object, and only the worker thread uses it
/// afterwards. Both sides share only ``DecoderState``.
final class DecoderWorker: @unchecked Sendable {
    private let monitor: Monitor<DecoderState>
    private let decoder: SampleDecoder

    init(monitor: Monitor<DecoderState>, options: DecompressionSession.Options) {
        self.monitor = monitor
        decoder = SampleDecoder(monitor, options)
    }

    private enum Step {
        case decode(QueuedSample)
        case flush
        case finish
    }

    /// Runs the worker thread from its start to its end.
    func run() {
        while true {
            switch nextStep() {
            case .decode(let queued):
                decoder.decode(queued.sample, queued.record)
                try? monitor.locked { state in
                    state.processed = queued.record.number + 1
                    monitor.wake(.progress)
                }
            case .flush: decoder.flush()
            case .finish:
                finish()
                return
            }
        }
    }

    private func nextStep() -> Step {
        // The closure throws nothing.
        let step = try? monitor.wait(for: .work) { state throws(NaluError) -> Step? in
            if state.isInvalid { return .finish }
            if state.taken >= state.flushTarget && state.oldest < state.flushTarget { return .flush }
            guard let queued = state.queue.popFirst() else { return nil }
            state.taken += 1
            // Waking the client for each free place would double the cost of a small picture.
            if state.queue.count <= 1 { monitor.wake(.room) }
            return .decode(queued)
        }
        return step ?? .finish
    }

    /// Ends an invalidated session: delivers pending samples as dropped, and releases the client's handler.
    private func finish() {
        decoder.end()
        while let queued = (try? monitor.locked({ $0.queue.popFirst() })) ?? nil {
            decoder.delivery.deliverUndecoded(queued.record)
        }
        DecoderCore.releaseHandler(monitor)
        try? monitor.locked { state in
            state.workerIsDone = true
            monitor.wake(.progress)
        }
    }
}
