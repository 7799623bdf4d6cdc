internal import Nalu
internal import NaluBase
private import NaluLibc
internal import NaluMedia

/// The thread of a ``Player`` that reads samples and hands them in.
///
/// `@unchecked Sendable`: after the initializer, only the reading thread uses the object.
final class PlayFeeder: @unchecked Sendable {
    private let player: Player
    private var reader: TolerantSampleReader
    private var pace: LivePace?
    /// Pictures before this time are decoded and not shown, after a seek.
    private var shownFrom: MediaTime?
    /// Whether samples of a live input are dropped until a key frame.
    private var waitsForKeyFrame = true

    /// The most audio that is read ahead of the pictures, in seconds.
    private static let mostAudio = 8.0

    init(_ player: Player) {
        self.player = player
        reader = TolerantSampleReader(player.input.file)
        pace = player.options.delay.map(LivePace.init)
        if let start = player.options.start {
            player.state.withLock { $0.target = player.input.start + start }
        }
    }

    func run() {
        var failure: (any Error)?
        do { try feed() } catch { failure = error }
        player.state.change { state in
            state.failure = state.failure ?? failure ?? reader.failure
            state.isOver = true
        }
    }

    private var isStopped: Bool { player.state.withLock { $0.isStopped } }

    private func feed() throws {
        while !isStopped {
            if let target = player.state.withLock({ $0.target }) { try move(to: target) }
            let next: Sample?
            do {
                next = try reader.next()
            } catch {
                // Samples read before the end are shown first.
                player.state.withLock { $0.failure = error }
                next = nil
            }
            if let sample = next {
                try take(sample)
            } else {
                guard try waitAtEnd() else { return }
            }
        }
    }

    /// Declares the end, and waits for a seek or the next repetition. Returns false if the player is stopped.
    private func waitAtEnd() throws -> Bool {
        if isStopped { return false }
        try player.queue.finish()
        let loops = player.options.loops
        while true {
            let step = player.state.wait(milliseconds: 20) { state -> Bool? in
                if state.isStopped { return false }
                return state.target != nil ? true : nil
            }
            if let step { return step }
            if loops, player.isFinished, player.state.withLock({ $0.failure == nil }) {
                player.state.change { $0.target = player.input.start }
                return true
            }
        }
    }

    private func move(to target: MediaTime) throws {
        let player = player
        player.state.change { state in
            state.isMoving = true
            state.hasEnded = false
        }
        try player.timebase.setRate(0)
        try player.queue.flush()
        player.audio?.flush()
        do throws(NaluError) {
            try player.input.file.reader.seek(to: target)
        } catch {
            throw Failure("cannot seek in \(player.input.file.name): \(error.message)")
        }
        try player.timebase.setTime(target)
        shownFrom = target
        player.state.change { state in
            state.isMoving = false
            // The user may have chosen another target meanwhile.
            if state.target == target { state.target = nil }
        }
    }

    // MARK: Samples

    private func take(_ sample: Sample) throws {
        let time = sample.presentationTime
        let duration = sample.duration.isNumeric ? sample.duration : player.input.frameDuration
        player.state.withLock { state in
            if state.first == nil {
                state.first = player.options.start == nil ? time : player.input.start
            }
            state.end = max(state.end, time + duration)
        }
        if pace != nil { return try takeLive(sample) }
        if player.state.withLock({ $0.first }) == time, shownFrom == nil { try player.timebase.setTime(time) }
        var shown = sample
        if let from = shownFrom {
            if time + duration <= from, !sample.isHidden {
                shown = try Sample(
                    sample, formatDescription: sample.formatDescription, decodeTime: sample.decodeTime,
                    attachments: sample.attachments.union(.doNotDisplay))
            }
            if sample.decodeTime >= from { shownFrom = nil }
        }
        try waitForAudio()
        while !isStopped, player.state.withLock({ $0.target == nil }) {
            do throws(NaluError) {
                return try player.queue.enqueue(shown)
            } catch {
                // A sample of an undecodable format is counted like a corrupt sample.
                guard error.status == .wouldBlock else { return fail(error) }
            }
            try? player.queue.waitUntilReady(seconds: 0.05)
        }
    }

    private func fail(_ error: NaluError) {
        guard error.status != .invalidSession else { return }
        player.state.withLock { state in
            if state.failure == nil { state.failure = error }
        }
    }

    /// Waits while ``mostAudio`` is read ahead, unless the queue needs pictures.
    private func waitForAudio() throws {
        while let end = player.audio?.end, end - player.timebase.time.seconds > Self.mostAudio, !isStopped,
            player.state.withLock({ $0.target == nil }), player.queue.statistics.waitingSamples > 0
        {
            player.state.wait(milliseconds: 20) { $0.isStopped ? () : nil }
        }
    }

    /// Hands in a live sample at once, or drops it.
    private func takeLive(_ sample: Sample) throws {
        let (queue, timebase) = (player.queue, player.timebase)
        if player.isPaused {
            waitsForKeyFrame = true
            return
        }
        if waitsForKeyFrame {
            guard sample.isStart else { return }
            waitsForKeyFrame = false
            try restart(at: sample)
        }
        let offset = (sample.decodeTime - timebase.time).seconds
        switch pace?.note(offset: offset, at: MonotonicClock.seconds) {
        case .restart: try restart(at: sample)
        case .move(let seconds):
            try timebase.setTime(timebase.time + MediaTime(value: Int64(seconds * 1e9), timescale: 1_000_000_000))
        default: break
        }
        do throws(NaluError) {
            try queue.enqueue(sample)
        } catch {
            guard error.status == .wouldBlock else { return fail(error) }
            // The decoder is too slow: it continues with the next key frame.
            try queue.flush()
            waitsForKeyFrame = true
        }
    }

    /// Shows a live sample after the delay.
    private func restart(at sample: Sample) throws {
        let delay = MediaTime(value: Int64((player.options.delay ?? 0) * 1e9), timescale: 1_000_000_000)
        try player.queue.flush()
        try player.timebase.setTime(sample.decodeTime - delay)
        try player.timebase.setRate(1)
    }
}
