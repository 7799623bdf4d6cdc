internal import Nalu
internal import NaluBase

/// The thread that feeds the decoder, and asks the client for samples.
///
/// `@unchecked Sendable`: the thread that creates the queue makes the object, and only the decoding thread uses it
/// afterwards.
final class DisplayDecoder: @unchecked Sendable {
    private let monitor: Monitor<DisplayState>
    private let options: DecompressionSession.Options
    private var session: DecompressionSession?
    private var generation: UInt64 = 0
    private var number: UInt64 = 0

    init(_ monitor: Monitor<DisplayState>, _ options: DecompressionSession.Options) {
        self.monitor = monitor
        self.options = options
    }

    private enum Step {
        case end
        case reset(UInt64)
        case request(@Sendable () -> Void)
        case decode(WaitingSample)
        case drain
    }

    func run() {
        // This thread waits for the decoder, which never waits for the queue.
        CallbackWaits.allow(true)
        while true {
            switch nextStep() {
            case .end:
                session = nil
                DisplayCore.threadEnds(monitor)
                return
            case .reset(let generation):
                session = nil
                self.generation = generation
            case .request(let function):
                CallbackWaits.allow(false)
                function()
                CallbackWaits.allow(true)
            case .decode(let waiting): decode(waiting)
            case .drain: drain()
            }
        }
    }

    private func nextStep() -> Step {
        let step = try? monitor.wait(for: .room) { [generation] state throws(NaluError) -> Step? in
            if state.isInvalid { return .end }
            if state.generation != generation { return .reset(state.generation) }
            if state.isRequestDue, state.hasRoom, let function = state.onRequest {
                state.isRequestDue = false
                return .request(function)
            }
            if state.pictures.count < state.pictureCapacity, let waiting = state.samples.popFirst() {
                state.isRequestDue = state.onRequest != nil
                monitor.wake(.progress)
                return .decode(waiting)
            }
            return state.isFinishing && state.samples.isEmpty && !state.isDrained ? .drain : nil
        }
        return step ?? .end
    }

    private func decode(_ waiting: WaitingSample) {
        number += 1
        let (number, taken) = (number, MonotonicClock.nanoseconds)
        do throws(NaluError) {
            let session = try session(for: waiting.sample.formatDescription)
            try monitor.locked { state in
                var record = waiting.record
                record.taken = taken
                state.receive.add(from: record.received, to: taken)
                state.records[number] = record
            }
            _ = try unsafe session.decode(
                waiting.sample, flags: .asynchronous, refcon: UnsafeMutableRawPointer(bitPattern: UInt(number)))
        } catch {
            let (status, message, generation) = (error.status, error.message, generation)
            try? monitor.locked { state in
                state.records[number] = nil
                Self.fail(&state, monitor, status, message, generation)
            }
        }
    }

    /// Returns a session that accepts samples of a format. The pictures of an earlier session are delivered first.
    private func session(for format: FormatDescription) throws(NaluError) -> DecompressionSession {
        if let session {
            if session.canAccept(format) { return session }
            try session.waitForAsynchronousFrames()
            self.session = nil
        }
        let created = try DecompressionSession(format: format, options: options) { [monitor, generation] frame in
            Self.receive(frame, monitor, generation)
        }
        session = created
        return created
    }

    /// Waits for the pictures that the decoder delays. The decoder's speed limits the wait.
    private func drain() {
        try? session?.waitForAsynchronousFrames()
        try? monitor.locked { [generation] state in
            // A sample or a flush may have arrived meanwhile.
            guard state.isFinishing, state.samples.isEmpty, state.generation == generation else { return }
            state.isDrained = true
            state.hasChanged = true
            monitor.wake(.work)
        }
    }

    // MARK: The decoder's thread

    private static func receive(
        _ frame: DecompressionSession.Frame, _ monitor: Monitor<DisplayState>, _ generation: UInt64
    ) {
        let number = unsafe UInt64(UInt(bitPattern: frame.frameRefcon))
        let decoded = MonotonicClock.nanoseconds
        try? monitor.locked { state in
            guard let record = state.records.removeValue(forKey: number) else { return }
            guard state.generation == generation else {
                state.counts.flushedSamples += 1
                return
            }
            guard let image = frame.image else {
                let isIntended = frame.status == .ok || frame.flags.contains(.skippedLeadingFrameDropped)
                if isIntended || frame.status == .invalidSession { return }
                fail(
                    &state, monitor, frame.status,
                    "the sample at \(frame.presentationTime.secondsText) s could not be decoded: \(frame.status)",
                    generation)
                return
            }
            state.decode.add(from: record.taken, to: decoded)
            state.pictures.append(
                WaitingPicture(
                    picture: DisplayQueue.Picture(
                        image: image, flags: frame.flags.intersection([.damaged, .interlaced, .bottomFieldFirst]),
                        presentationTime: frame.presentationTime, duration: frame.duration),
                    isImmediate: record.isImmediate, decoded: decoded))
            state.prerolled = min(state.prerolled + 1, state.prerollCount)
            state.hasChanged = true
            monitor.wake(.work)
        }
    }

    private static func fail(
        _ state: inout DisplayState, _ monitor: Monitor<DisplayState>, _ status: Status, _ message: String,
        _ generation: UInt64
    ) {
        state.counts.failedSamples += 1
        state.lastError = message
        guard state.generation == generation else { return }
        state.failure = status
        state.hasChanged = true
        monitor.wake(.work)
    }
}
