internal import Nalu
internal import NaluBase

/// The client's side of a display queue, without its handle. The queue's threads keep only the monitor.
final class DisplayCore: ThreadedSession {
    let monitor: Monitor<DisplayState>
    var identity: UInt { UInt(bitPattern: ObjectIdentifier(monitor)) }
    private let options: DecompressionSession.Options

    init(
        _ options: DisplayQueue.Options, onEvent: (@Sendable (DisplayQueue.Event) -> Void)?,
        onFinish: (@Sendable () -> Void)?, show: @escaping @Sendable (DisplayQueue.Picture) -> Void
    ) throws(NaluError) {
        let state = try options.state()
        self.options = try options.decoder.resolved()
        monitor = Monitor(state)
        let (monitor, decoder) = (monitor, self.options)
        try FFmpegLibraries.load()
        let observer = Timebase.hostClock.addObserver { Self.look(monitor) }
        do throws(NaluError) {
            try monitor.locked { state in
                (state.show, state.onEvent) = (show, onEvent)
                state.observer = observer
                (state.threads, state.hasWorker) = (1, true)
            }
            try WorkerThread.start(of: identity) { DisplayThread(monitor).run() }
        } catch {
            Timebase.hostClock.removeObserver(observer)
            throw error
        }
        do throws(NaluError) {
            try monitor.locked { $0.threads += 1 }
            try WorkerThread.start(of: identity) { DisplayDecoder(monitor, decoder).run() }
        } catch {
            try monitor.locked { $0.threads -= 1 }
            try invalidate(isRelease: true)
            throw error
        }
        try monitor.locked { $0.onFinish = onFinish }
    }

    /// Makes the display thread look at the timebase again.
    static func look(_ monitor: Monitor<DisplayState>) {
        let now = MonotonicClock.nanoseconds
        try? monitor.locked { state in
            state.changed = now
            state.hasChanged = true
            monitor.wake(.work)
        }
    }

    // MARK: Time

    var controlTimebase: Timebase { (try? monitor.locked { $0.timebase }) ?? .hostClock }

    func setControlTimebase(_ timebase: Timebase) throws(NaluError) {
        let observer = timebase.addObserver { [monitor] in Self.look(monitor) }
        let former: (timebase: Timebase, observer: UInt64)
        do throws(NaluError) {
            former = try monitor.locked { state throws(NaluError) in
                if state.isInvalid { throw Self.invalidError }
                defer { (state.timebase, state.observer) = (timebase, observer) }
                return (state.timebase, state.observer)
            }
        } catch {
            timebase.removeObserver(observer)
            throw error
        }
        former.timebase.removeObserver(former.observer)
        Self.look(monitor)
    }

    func step() throws(NaluError) {
        try change { state throws(NaluError) in
            let rate = state.timebase.effectiveRate
            guard rate == 0 else {
                throw NaluError(.conflict, "the control timebase runs at rate \(rate); set its rate to 0 before a step")
            }
            guard state.steps < DisplayState.mostSteps else {
                throw NaluError(
                    .wouldBlock, "\(state.steps) steps wait for pictures, which is the limit; hand in samples")
            }
            state.steps += 1
        }
    }

    // MARK: Samples

    func enqueue(_ sample: Sample, isImmediate: Bool) throws(NaluError) {
        guard isImmediate || sample.presentationTime.isNumeric else {
            throw NaluError(
                .invalidTime,
                "the presentation time of sample is \(sample.presentationTime); expected a numeric time, or a picture to show immediately"
            )
        }
        try VideoDecoder.checkFitness(of: sample.formatDescription, options.pictureLimit)
        let record = DisplayRecord(isImmediate: isImmediate, received: MonotonicClock.nanoseconds)
        try change { state throws(NaluError) in
            guard state.hasRoom else {
                throw NaluError(
                    .wouldBlock,
                    "\(state.samples.count) samples are waiting for the decoder, which is the limit; wait until the queue is ready"
                )
            }
            state.samples.append(WaitingSample(sample: sample, record: record))
            state.counts.acceptedSamples += 1
            (state.isFinishing, state.isDrained, state.hasEnded) = (false, false, false)
        }
    }

    var isReady: Bool { (try? monitor.locked { !$0.isInvalid && $0.hasRoom }) ?? false }

    func waitUntilReady(seconds: Double) throws(NaluError) {
        guard seconds >= 0, seconds <= 3600 else {
            throw NaluError(.outOfRange, "seconds is \(seconds); expected 0 to 3600")
        }
        try refuseInCallback("the wait for room")
        let end = MonotonicClock.nanoseconds + Int64(seconds * 1e9)
        let isReady: Void? = try awaitWorker { () throws(NaluError) in
            try monitor.wait(for: .progress, untilNanoseconds: end) { state throws(NaluError) -> Void? in
                if state.isInvalid { throw Self.invalidError }
                return state.hasRoom ? () : nil
            }
        }
        if isReady == nil {
            throw NaluError(
                .wouldBlock,
                "the queue is still full after \(seconds) seconds; check that the control timebase runs, or flush the queue"
            )
        }
    }

    func request(_ function: (@Sendable () -> Void)?) throws(NaluError) {
        // The former function is released outside the lock.
        var former: (@Sendable () -> Void)?
        try change { state in
            former = state.onRequest
            state.onRequest = function
            state.isRequestDue = function != nil
        }
        withExtendedLifetime(former) {}
    }

    func finish() throws(NaluError) {
        try change { $0.isFinishing = true }
    }

    func flush(removesImage: Bool) throws(NaluError) {
        var removed: (RingBuffer<WaitingSample>, RingBuffer<WaitingPicture>)?
        try change { state in
            removed = state.empty()
            state.counts.flushedSamples += UInt64((removed?.0.count ?? 0) + (removed?.1.count ?? 0))
            state.generation += 1
            state.steps = 0
            state.prerolled = 0
            state.counts.isPrerolled = false
            state.failure = nil
            state.isRequestDue = state.onRequest != nil
            state.removesImage = state.removesImage || removesImage
            (state.isFinishing, state.isDrained, state.hasEnded) = (false, false, false)
        }
        withExtendedLifetime(removed) {}
    }

    /// Changes the state of a valid queue, and makes both threads and waiting clients look at it.
    private func change(_ body: (inout DisplayState) throws(NaluError) -> Void) throws(NaluError) {
        try monitor.locked { state throws(NaluError) in
            if state.isInvalid { throw Self.invalidError }
            try body(&state)
            state.hasChanged = true
            monitor.wake(.work)
            monitor.wake(.room)
            monitor.wake(.progress)
        }
    }

    // MARK: Facts and end

    var statistics: DisplayQueue.Statistics { (try? monitor.locked { $0.statistics }) ?? DisplayQueue.Statistics() }

    var lastError: String { (try? monitor.locked { $0.lastError }) ?? "" }

    func invalidate(isRelease: Bool) throws(NaluError) {
        try invalidate(isRelease: isRelease, as: "invalidate")
    }

    /// Notes the end of one of the two threads. The second one releases the queue's samples, pictures and functions.
    static func threadEnds(_ monitor: Monitor<DisplayState>) {
        let isLast =
            (try? monitor.locked { state in
                state.threads -= 1
                return state.threads == 0
            })
        guard isLast == true else { return }
        releaseHandler(monitor)
        try? monitor.locked { state in
            state.workerIsDone = true
            monitor.wake(.progress)
        }
    }

    static func releaseHandler(_ monitor: Monitor<DisplayState>) {
        guard
            let (timebase, observer, removed, functions) = try? monitor.locked({ state in
                defer { (state.show, state.onEvent, state.onFinish, state.onRequest) = (nil, nil, nil, nil) }
                defer { state.timebase = .hostClock }
                return (
                    state.timebase, state.observer, state.empty(),
                    (state.show, state.onEvent, state.onFinish, state.onRequest)
                )
            })
        else { return }
        timebase.removeObserver(observer)
        withExtendedLifetime(removed) {}
        functions.2?()
    }
}

extension DisplayQueue.Options {
    /// Checks the options, and returns the state of a queue that has them.
    fileprivate func state() throws(NaluError) -> DisplayState {
        let preroll = prerollCount ?? pictureCapacity
        let spelling = decoder.spelling
        for (name, value, most) in [
            (spelling.sampleCapacity, sampleCapacity, 128), (spelling.pictureCapacity, pictureCapacity, 128),
            (spelling.prerollCount, preroll, pictureCapacity),
            (spelling.displayThreadCount, decoder.threadCount == 0 ? 1 : decoder.threadCount, 64),
        ] where !(1...max(1, most)).contains(value) {
            throw NaluError(.outOfRange, "\(name) is \(value); expected 1 to \(most)")
        }
        return DisplayState(sampleCapacity: sampleCapacity, pictureCapacity: pictureCapacity, prerollCount: preroll)
    }
}
