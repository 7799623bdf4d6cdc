/// Calls a function when a timebase reaches a time, in a thread of its own. The corresponding C type is
/// `nalu_timebase_timer`.
public final class TimebaseTimer: Sendable {
    private let core: TimerCore
    private let observer: UInt64

    /// Creates a timer. The thread starts with the first time to fire at.
    ///
    /// - Parameters:
    ///   - onFire: called each time the timer fires.
    ///   - onFinish: called once, after the last call of `onFire`.
    public init(
        timebase: Timebase, onFire: @escaping @Sendable () -> Void, onFinish: (@Sendable () -> Void)? = nil
    ) {
        let core = TimerCore(timebase: timebase, onFire: onFire, onFinish: onFinish)
        self.core = core
        observer = timebase.addObserver { core.look() }
    }

    deinit {
        core.timebase.removeObserver(observer)
        try? core.invalidate(isRelease: true, as: "nalu_timebase_timer_release")
    }

    /// Makes the timer fire once when the timebase reaches `time`, in place of an earlier time that has not been
    /// reached. The invalid time makes it not fire.
    public func setFireTime(_ time: MediaTime) throws(NaluError) {
        try core.setFireTime(time)
    }

    /// Ends the timer, after which no call is made. Waits for a call that is running, and throws `.reentrant` inside it.
    public func invalidate() throws(NaluError) {
        try core.invalidate(isRelease: false, as: "nalu_timebase_timer_invalidate")
    }
}

/// The timer without its handle, to which its thread refers.
private final class TimerCore: ThreadedSession {
    struct State: ThreadedSessionState {
        var fireTime = MediaTime.invalid
        /// Whether the time to fire at, or the timebase, has changed since the thread looked.
        var hasChanged = false
        var onFire: (@Sendable () -> Void)?
        var onFinish: (@Sendable () -> Void)?
        var isInvalid = false
        var hasWorker = false
        var workerIsDone = false

        mutating func invalidate() { isInvalid = true }
    }

    let timebase: Timebase
    let monitor: Monitor<State>
    var identity: UInt { UInt(bitPattern: ObjectIdentifier(monitor)) }

    init(timebase: Timebase, onFire: @escaping @Sendable () -> Void, onFinish: (@Sendable () -> Void)?) {
        self.timebase = timebase
        monitor = Monitor(State(onFire: onFire, onFinish: onFinish))
    }

    func setFireTime(_ time: MediaTime) throws(NaluError) {
        if monitor.isOfParent {
            throw NaluError(.invalidSession, "the timer belongs to the parent process; create another one after fork")
        }
        let starts = try monitor.locked { state throws(NaluError) in
            if state.isInvalid {
                throw NaluError(.invalidSession, "the timer has been invalidated; create another one")
            }
            state.fireTime = time
            defer { state.hasWorker = true }
            return !state.hasWorker
        }
        look()
        guard starts else { return }
        do throws(NaluError) {
            try WorkerThread.start(of: identity) { [self] in run() }
        } catch {
            try monitor.locked { $0.hasWorker = false }
            throw error
        }
    }

    /// Makes the thread look at the timebase again.
    func look() {
        try? monitor.locked { state in
            state.hasChanged = true
            monitor.wake(.work)
        }
    }

    private enum Step {
        case end, look
    }

    /// The body of the thread.
    private func run() {
        var moment: Int64?
        loop: while true {
            switch nextStep(until: moment) {
            case .end: break loop
            case .look: break
            }
            guard let time = try? monitor.locked({ $0.fireTime }), time.isValid else {
                moment = nil
                continue
            }
            switch timebase.arrival(at: time) {
            case .reached:
                moment = nil
                fire(at: time)
            case .atHostTime(let arrival): moment = arrival
            case .unknown: moment = nil
            }
        }
        Self.releaseHandler(monitor)
        try? monitor.locked { state in
            state.workerIsDone = true
            monitor.wake(.progress)
        }
    }

    /// Waits for a change, or until a moment of the host clock.
    private func nextStep(until moment: Int64?) -> Step {
        func step(_ state: inout State) -> Step? {
            if state.isInvalid { return .end }
            defer { state.hasChanged = false }
            return state.hasChanged ? .look : nil
        }
        // A failure means that the process is a child by fork, where this thread does not run.
        guard let moment else { return (try? monitor.wait(for: .work, step)) ?? .end }
        do throws(NaluError) {
            return try monitor.wait(for: .work, untilNanoseconds: moment, step) ?? .look
        } catch {
            return .end
        }
    }

    private func fire(at time: MediaTime) {
        var onFire: (@Sendable () -> Void)?
        try? monitor.locked { state in
            // The client may have set another time meanwhile.
            guard !state.isInvalid, state.fireTime.isIdentical(to: time) else { return }
            state.fireTime = .invalid
            onFire = state.onFire
        }
        onFire?()
    }

    static func releaseHandler(_ monitor: Monitor<State>) {
        let handlers = try? monitor.locked { state in
            defer {
                state.onFire = nil
                state.onFinish = nil
            }
            return (state.onFire, state.onFinish)
        }
        handlers?.1?()
    }
}

extension Timebase {
    /// The moment at which a timebase reaches a time.
    package enum Arrival {
        case reached
        /// The moment in nanoseconds of the host clock.
        case atHostTime(Int64)
        /// The timebase reaches the time only after a change of its timeline.
        case unknown
    }

    package func arrival(at time: MediaTime) -> Arrival {
        let (now, rate) = Self.lock.withLock { _ in (self.now, rateFromClock) }
        if rate == 0 || time.isIndefinite { return .unknown }
        if rate > 0 && now >= time || rate < 0 && now <= time { return .reached }
        // A moment beyond the range of nanoseconds, in 292 years, is infinite.
        let arrival = convert(time, to: .hostClock)
            .converted(toTimescale: 1_000_000_000, rounding: .towardPositiveInfinity)
        return arrival.isNumeric ? .atHostTime(arrival.value) : .unknown
    }
}
