import Testing

@testable import NaluCommand

@Suite struct LivePaceTests {
    /// A receiver: the playback's time follows the host time, and moves as the pace decides.
    private struct Receiver {
        var pace: LivePace
        /// The decode time of a sample less the host time at which the fastest ones arrive, in seconds.
        var senderOffset = 1000.0
        /// The playback's time less the host time; nil before the first sample.
        private(set) var playback: Double?
        private(set) var restarts = 0
        /// The moves after the first second, in which the pace follows each sample that is earlier than the others.
        private(set) var moves: [Double] = []
        let delay: Double

        init(delay: Double) {
            self.delay = delay
            pace = LivePace(delay: delay)
        }

        /// A sample arrives, `late` seconds after the fastest ones do. At a restart it is due after the delay.
        mutating func arrive(at now: Double, late: Double = 0) {
            let sample = now + senderOffset - late
            switch pace.note(offset: sample - (now + (playback ?? 0)), at: now) {
            case .none: break
            case .move(let seconds):
                if now > 1 { moves.append(seconds) }
                playback = (playback ?? 0) + seconds
            case .restart:
                restarts += 1
                playback = sample - delay - now
            }
        }

        /// The time in seconds from the arrival of the fastest samples to their pictures.
        var wait: Double { senderOffset - (playback ?? 0) }
    }

    @Test func `The first sample starts the playback`() {
        var pace = LivePace(delay: 0.2)
        #expect(pace.note(offset: 1234, at: 5) == .restart)
    }

    @Test func `An even stream needs no correction`() {
        var receiver = Receiver(delay: 0.2)
        for frame in 0..<3000 { receiver.arrive(at: Double(frame) / 30) }
        #expect(receiver.restarts == 1)
        #expect(receiver.moves.isEmpty)
        #expect((receiver.wait - 0.2).magnitude < 1e-6)
    }

    @Test func `Samples that the input had kept do not delay the stream`() {
        var receiver = Receiver(delay: 0.1)
        // In its first half second the input delivers two seconds of old samples.
        for number in 0..<60 { receiver.arrive(at: Double(number) / 120, late: 2 * (1 - Double(number) / 60)) }
        for frame in 16..<200 { receiver.arrive(at: Double(frame) / 30) }
        #expect(receiver.restarts == 1)
        #expect((receiver.wait - 0.1).magnitude < 0.011)
    }

    @Test func `Late samples move nothing`() {
        var receiver = Receiver(delay: 0.3)
        for frame in 0..<3000 { receiver.arrive(at: Double(frame) / 30, late: frame % 7 == 0 ? 0 : 0.25) }
        #expect(receiver.restarts == 1)
        #expect(receiver.moves.isEmpty)
    }

    @Test(arguments: [1.0002, 0.9998])
    func `The drift of the sender's clock is corrected`(speed: Double) {
        var receiver = Receiver(delay: 0.2)
        let begin = receiver.senderOffset
        for frame in 0..<30_000 {
            let now = Double(frame) / 30
            receiver.senderOffset = begin + now * (speed - 1)
            receiver.arrive(at: now, late: frame % 3 == 0 ? 0 : 0.05)
            #expect((receiver.wait - 0.2).magnitude < 0.012)
        }
        // 0.2 s in 1000 s, in steps that are larger than the tolerance.
        #expect(receiver.restarts == 1)
        #expect(10...20 ~= receiver.moves.count)
        #expect(receiver.moves.allSatisfy { $0.magnitude > 0.01 && ($0 > 0) == (speed > 1) })
    }

    @Test(arguments: [100.0, -100.0])
    func `A sender that begins anew restarts the playback`(jump: Double) {
        var receiver = Receiver(delay: 0.2)
        for frame in 0..<300 { receiver.arrive(at: Double(frame) / 30) }
        receiver.senderOffset += jump
        for frame in 300..<600 { receiver.arrive(at: Double(frame) / 30) }
        #expect(receiver.restarts == 2)
        #expect((receiver.wait - 0.2).magnitude < 1e-6)
    }
}
