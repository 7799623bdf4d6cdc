internal import Nalu
internal import NaluBase

/// One start of a session, up to its stop or end: the threads of the sources and of the handlers.
final class CaptureRun: ThreadedSession {
    let monitor: Monitor<CaptureState>
    let handlers: CaptureHandlers
    let spelling: Spelling
    private let stopSignal: StopSignal
    private let startSignal: StopSignal

    var identity: UInt { handlers.identity }

    init(_ handlers: CaptureHandlers, _ spelling: Spelling) throws(NaluError) {
        stopSignal = try StopSignal()
        startSignal = try StopSignal()
        self.handlers = handlers
        self.spelling = spelling
        monitor = Monitor(CaptureState(stopSignal, startSignal))
    }

    /// Does nothing: the last thread that ends releases the handlers (``CaptureHandlers/removeOwner()``).
    static func releaseHandler(_ monitor: Monitor<CaptureState>) {}

    // MARK: Starting

    /// Starts all threads, and waits until every source has begun.
    ///
    /// - Parameter seconds: the longest wait.
    func start(_ sources: [CaptureSetup], timeout seconds: Double) throws(NaluError) {
        try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw cancelled }
            // The calling thread counts until all threads are started. Otherwise a thread that ends early would end the run.
            state.liveThreads = 1
            state.hasWorker = true
            state.expectedBegins = sources.count
        }
        handlers.addOwner()
        do {
            for setup in sources {
                let sink = CaptureSink(self, setup, stopSignal)
                try startThread { sink.runSource() }
            }
            if handlers.video != nil { try startThread { [self] in CaptureDelivery(self).deliverVideo() } }
            if handlers.audio != nil { try startThread { [self] in CaptureDelivery(self).deliverAudio() } }
        } catch {
            try monitor.locked { state in state.end(error) }
            threadEnds()
            try finishFailedStart()
        }
        threadEnds()
        let limit = MonotonicClock.nanoseconds + Int64(seconds * 1e9)
        if startSignal.wait(until: limit) == .time {
            try monitor.locked { state in
                if !state.hasBegun { state.end(timedOut(seconds, state.silentDevice)) }
            }
        }
        let hasBegun = try monitor.locked { $0.hasBegun && !$0.isInvalid }
        if !hasBegun { try finishFailedStart() }
    }

    /// Waits for the end of a run whose start has failed, and throws the reason.
    private func finishFailedStart() throws(NaluError) {
        let failure = try monitor.locked { state in
            let failure = state.failure
            state.invalidate()
            monitor.wake(.work)
            monitor.wake(.room)
            return failure
        }
        try monitor.wait(for: .progress) { $0.workerIsDone ? () : nil }
        throw failure ?? cancelled
    }

    private var cancelled: NaluError {
        NaluError(.cancelled, "the session was stopped while it was starting; start it again")
    }

    /// - Parameter silentDevice: the open device without pictures; nil if the reason is unknown.
    private func timedOut(_ seconds: Double, _ silentDevice: String?) -> NaluError {
        let message =
            silentDevice.map {
                "\($0) is open and has delivered no picture within \(seconds) seconds; see if another program uses or has paused it, and if its shutter is open"
            } ?? "the device has delivered nothing within \(seconds) seconds; check that it works"
        let remedy = spelling == .command ? "" : ", or raise \(spelling.startTimeout)"
        return NaluError(.inputOutput, message + remedy)
    }

    private func startThread(_ body: @escaping @Sendable () -> Void) throws(NaluError) {
        try monitor.locked { $0.liveThreads += 1 }
        do throws(NaluError) {
            try WorkerThread.start(of: identity) { [self] in
                body()
                threadEnds()
            }
        } catch {
            try monitor.locked { $0.liveThreads -= 1 }
            throw error
        }
    }

    // MARK: Ending

    /// Notes the end of a thread. The last one reports the end to the client.
    private func threadEnds() {
        let report = try? monitor.locked { state -> (isLast: Bool, error: NaluError?) in
            state.liveThreads -= 1
            guard state.liveThreads == 0 else { return (false, nil) }
            return (true, state.hasBegun && !state.isInvalid ? state.failure : nil)
        }
        guard report?.isLast == true else { return }
        if let error = report?.error { handlers.end?(error) }
        handlers.removeOwner()
        try? monitor.locked { state in
            state.workerIsDone = true
            monitor.wake(.progress)
        }
    }

    /// Notes that a source has ended. If the run has not been stopped, the source has lost its device.
    func sourceEnded(_ error: NaluError?) {
        try? monitor.locked { state in
            if state.isInvalid || state.isEnding { return }
            state.end(error ?? NaluError(.inputOutput, "the device has ended the capture"))
            monitor.wake(.work)
            monitor.wake(.room)
        }
    }

    /// Whether the run has neither been stopped nor ended.
    var isRunning: Bool {
        (try? monitor.locked { $0.hasBegun && !$0.isInvalid && !$0.isEnding }) ?? false
    }

    /// Whether no thread of the run is left.
    var isOver: Bool {
        (try? monitor.locked { $0.workerIsDone || !$0.hasWorker && $0.isInvalid }) ?? true
    }
}

/// A source with the demands that the session makes.
struct CaptureSetup: Sendable {
    let source: any CaptureSource
    let request: CaptureRequest
    let bufferLimit: Int
}
