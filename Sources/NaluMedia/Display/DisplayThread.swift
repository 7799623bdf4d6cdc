internal import Nalu
internal import NaluBase

/// The thread that shows pictures at their time.
struct DisplayThread: Sendable {
    private let monitor: Monitor<DisplayState>

    init(_ monitor: Monitor<DisplayState>) {
        self.monitor = monitor
    }

    private enum Step {
        case end
        case event(DisplayQueue.Event)
        case removeImage
        /// `due`: the timebase at whose time the picture is due; nil for an immediate picture.
        case show(WaitingPicture, due: Timebase?)
        /// Shows a picture, and sets the timebase to its time.
        case step(WaitingPicture, Timebase)
        /// Sleeps until a moment of the host clock, or until something changes.
        case sleep(Int64?)
    }

    func run() {
        // The pictures that were dropped in one step, which are released outside the lock.
        var late: [WaitingPicture] = []
        while true {
            let step = (try? monitor.locked { nextStep(&$0, &late) }) ?? .end
            late.removeAll(keepingCapacity: true)
            switch step {
            case .end:
                DisplayCore.threadEnds(monitor)
                return
            case .event(let event): send(event)
            case .removeImage:
                show(DisplayQueue.Picture(image: nil, flags: [], presentationTime: .invalid, duration: .invalid))
            case .show(let waiting, let timebase):
                measure(waiting, timebase)
                show(waiting.picture)
            case .step(let waiting, let timebase):
                // The host clock cannot be set: the error is ignored.
                try? timebase.setTime(waiting.picture.presentationTime)
                measure(waiting, nil)
                show(waiting.picture)
            case .sleep(let moment): sleep(until: moment)
            }
        }
    }

    private func nextStep(_ state: inout DisplayState, _ late: inout [WaitingPicture]) -> Step {
        if state.isInvalid { return .end }
        state.hasChanged = false
        if state.removesImage {
            state.removesImage = false
            return .removeImage
        }
        if let failure = state.failure {
            state.failure = nil
            return .event(.failed(failure))
        }
        if !state.counts.isPrerolled, state.prerolled >= state.prerollCount || state.isDrained {
            state.counts.isPrerolled = true
            return .event(.prerolled)
        }
        let timebase = state.timebase
        if state.steps > 0, let next = state.pictures.popFirst() {
            state.steps -= 1
            note(&state)
            return .step(next, timebase)
        }
        let (now, rate) = (timebase.time, timebase.effectiveRate)
        var newest: Int?
        for index in 0..<state.pictures.count {
            guard let waiting = state.pictures[index] else { continue }
            let time = waiting.picture.presentationTime
            if waiting.isImmediate || (rate < 0 ? now <= time : now >= time) { newest = index }
        }
        if let newest {
            for _ in 0..<newest { if let dropped = state.pictures.popFirst() { late.append(dropped) } }
            state.counts.latePictures += UInt64(newest)
            if let due = state.pictures.popFirst() {
                note(&state)
                return .show(due, due: due.isImmediate ? nil : timebase)
            }
        }
        if state.isDrained, state.pictures.isEmpty, !state.hasEnded {
            state.hasEnded = true
            return .event(.ended)
        }
        return .sleep(arrival(state, timebase))
    }

    /// Notes that a picture leaves the queue to be shown.
    private func note(_ state: inout DisplayState) {
        state.counts.shownPictures += 1
        monitor.wake(.room)
    }

    /// Returns the host time in nanoseconds at which the next picture is due; nil if that is not known.
    private func arrival(_ state: DisplayState, _ timebase: Timebase) -> Int64? {
        var next: Int64?
        for index in 0..<state.pictures.count {
            guard let waiting = state.pictures[index] else { continue }
            switch timebase.arrival(at: waiting.picture.presentationTime) {
            case .reached: return 0
            case .atHostTime(let moment): next = min(next ?? moment, moment)
            case .unknown: break
            }
        }
        return next
    }

    private func sleep(until moment: Int64?) {
        func hasChanged(_ state: inout DisplayState) -> Void? { state.hasChanged || state.isInvalid ? () : nil }
        // A failure means that the process is a child by fork, where this thread does not run.
        if let moment {
            _ = try? monitor.wait(for: .work, untilNanoseconds: moment, hasChanged)
        } else {
            try? monitor.wait(for: .work, hasChanged)
        }
    }

    private func measure(_ waiting: WaitingPicture, _ timebase: Timebase?) {
        let due = timebase?.convert(waiting.picture.presentationTime, to: .hostClock)
            .converted(toTimescale: 1_000_000_000)
        let now = MonotonicClock.nanoseconds
        try? monitor.locked { state in
            state.showing.add(from: waiting.decoded, to: now)
            // This thread does not cause the lateness of a picture that was decoded after its time, or that a seek made due.
            if let due, due.isNumeric, due.value >= waiting.decoded, due.value >= state.changed {
                state.lateness.add(from: due.value, to: now)
            }
        }
    }

    private func show(_ picture: DisplayQueue.Picture) {
        let function = (try? monitor.locked { $0.isInvalid ? nil : $0.show }) ?? nil
        function?(picture)
    }

    private func send(_ event: DisplayQueue.Event) {
        let function = (try? monitor.locked { $0.isInvalid ? nil : $0.onEvent }) ?? nil
        function?(event)
    }
}
