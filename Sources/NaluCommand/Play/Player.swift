internal import Nalu
internal import NaluBase
private import NaluLibc
internal import NaluMedia

/// The playback of an input: a thread reads its samples, and a display queue passes the pictures to a slot at their
/// times. Any thread may call the functions.
final class Player: Sendable {
    struct Options {
        var start: MediaTime?
        var rate = 1.0
        var loops = false
        /// The time from the arrival of a live sample to its picture, in seconds; nil for an input that is not live.
        var delay: Double?
    }

    struct State {
        var isStopped = false
        var isPaused = false
        var rate: Double
        /// The time to move to.
        var target: MediaTime?
        /// Whether the reader is seeking: pictures that arrive are from before the seek.
        var isMoving = false
        /// Whether the queue has shown the last picture.
        var hasEnded = false
        var isOver = false
        /// The time after the last picture that was handed in.
        var end = MediaTime.zero
        /// The time of the first sample.
        var first: MediaTime?
        var failure: (any Error)?
    }

    static let rates = 0.1...8.0
    let input: PlayInput
    let options: Options
    let timebase: Timebase
    let queue: DisplayQueue
    let audio: AudioOutput?
    let state: Guarded<State>

    /// - Parameter audio: the audio device; nil for the host clock and silence.
    init(_ input: PlayInput, _ options: Options, audio: AudioOutput?, slot: PictureSlot) throws(NaluError) {
        self.input = input
        self.options = options
        self.audio = audio
        timebase = Timebase(source: audio?.clock ?? .hostClock)
        let state = Guarded(State(rate: options.rate))
        self.state = state
        var display = DisplayQueue.Options()
        display.sampleCapacity = 128
        display.decoder.isLowDelay = options.delay != nil
        display.decoder.pixelFormat = input.colors.format
        if options.delay != nil { display.prerollCount = 1 }
        let handler = EventHandler()
        queue = try DisplayQueue(
            options: display, onEvent: { handler.call($0) },
            show: { picture in if let image = picture.image { slot.put(image) } })
        try queue.setControlTimebase(timebase)
        audio?.follow(timebase)
        handler.set { [weak self] event in
            self?.handle(event)
            slot.wake()
        }
    }

    /// The function that receives the events of a queue, which is created before the function is known.
    private final class EventHandler: Sendable {
        private let function = Guarded<(@Sendable (DisplayQueue.Event) -> Void)?>(nil)

        func set(_ function: @escaping @Sendable (DisplayQueue.Event) -> Void) {
            self.function.withLock { $0 = function }
        }

        func call(_ event: DisplayQueue.Event) { function.withLock { $0 }?(event) }
    }

    /// Begins to read in a separate thread.
    func start() throws(NaluError) {
        let feeder = PlayFeeder(self)
        try WorkerThread.start { feeder.run() }
    }

    /// Ends the playback. No picture is shown afterwards.
    func stop() {
        state.change { $0.isStopped = true }
        input.file.reader.cancel()
        audio?.close()
        try? queue.invalidate()
        _ = state.wait(milliseconds: 3000) { $0.isOver ? () : nil }
    }

    var isLive: Bool { options.delay != nil }

    private func handle(_ event: DisplayQueue.Event) {
        switch event {
        case .prerolled:
            // A live input starts when its first sample arrives.
            guard !isLive else { return }
            let (isMoving, isPaused, rate) = state.withLock { ($0.isMoving, $0.isPaused, $0.rate) }
            if !isMoving, !isPaused, queue.statistics.isPrerolled { try? timebase.setRate(rate) }
        case .ended: state.change { $0.hasEnded = true }
        case .failed: break
        }
    }

    // MARK: Control

    /// The time since the first picture, in seconds.
    var position: Double {
        let (first, target) = state.withLock { ($0.first, $0.target) }
        let start = first ?? input.start
        return max(0, ((target ?? timebase.time) - start).seconds)
    }

    var isPaused: Bool { state.withLock { $0.isPaused } }
    var rate: Double { state.withLock { $0.rate } }

    /// Whether all pictures have been shown and all audio has been played.
    var isFinished: Bool {
        let (hasEnded, end, isStopped, isMoving) = state.withLock {
            ($0.hasEnded, $0.end, $0.isStopped, $0.isMoving || $0.target != nil)
        }
        if isStopped { return true }
        guard hasEnded, !isMoving else { return false }
        let time = timebase.time
        return time >= end && time.seconds >= audio?.end ?? 0
    }

    func togglePause() {
        let (isPaused, rate) = state.change { state in
            state.isPaused.toggle()
            return (state.isPaused, state.rate)
        }
        if isPaused {
            try? timebase.setRate(0)
        } else if isLive || queue.statistics.isPrerolled {
            try? timebase.setRate(isLive ? 1 : rate)
        }
    }

    /// Pauses, and shows the next picture.
    func step() {
        if !isPaused { togglePause() }
        try? queue.step()
    }

    /// Moves by seconds. Returns false if the input cannot seek.
    func seek(by seconds: Double) -> Bool {
        guard input.canSeek, !isLive else { return false }
        let now = timebase.time
        state.change { state in
            let offset = MediaTime(value: Int64(seconds * 1000), timescale: 1000)
            var target = (state.target ?? now) + offset
            if let end = input.end, target > end { target = end }
            if target < input.start { target = input.start }
            state.target = target
        }
        // Ends a wait of the reading thread for room.
        try? queue.flush()
        return true
    }

    /// Sets the rate. Returns false for a live input, whose sender determines the rate.
    func setRate(_ rate: Double) -> Bool {
        guard !isLive else { return false }
        let isPaused = state.withLock { state in
            state.rate = min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
            return state.isPaused
        }
        if !isPaused, timebase.timeAndRate.rate != 0 { try? timebase.setRate(self.rate) }
        return true
    }
}
