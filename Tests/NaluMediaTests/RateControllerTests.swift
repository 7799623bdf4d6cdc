import NaluMedia
import Testing

/// A link with a queue, an encoder that follows a controller, and a clock that the test moves.
private struct SimulatedLink {
    /// Bits per second at a time.
    let capacity: (Double) -> Double
    let roundTrip = 0.03
    let frameInterval = 1.0 / 30
    var controller: RateController
    /// Whether the picture needs as many bits as the rate allows.
    var content = 1.0

    private(set) var time = 0.0
    /// The frames in the queue: the time of handing in, and the bytes that are left.
    private var queue: [(time: Double, left: Double)] = []
    private var delivered = 0.0
    private var produced = 0.0
    private var number = 0
    private(set) var skipped = 0
    /// The rate and the queue's delay at each step.
    private(set) var samples: [(time: Double, rate: Double, delay: Double)] = []

    init(minimum: Double, maximum: Double, capacity: @escaping (Double) -> Double) {
        controller = RateController(minimumBitRate: minimum, maximumBitRate: maximum, maximumDelay: 0.5)
        self.capacity = capacity
    }

    /// Moves the clock, a hundredth of a second at a time.
    mutating func run(until end: Double) {
        while time < end {
            if Double(number) * frameInterval <= time {
                number += 1
                if controller.skipsFrame {
                    skipped += 1
                } else {
                    // Frames differ in size by a factor of up to 1.5, as those of an encoder without delay do.
                    let size = controller.bitRate * content / 30 / 8 * (number % 3 == 0 ? 1.25 : 0.875)
                    queue.append((time, size))
                    produced += size
                }
            }
            time += 0.01
            var budget = capacity(time) / 8 * 0.01
            while budget > 0, let first = queue.first {
                let sent = min(budget, first.left)
                budget -= sent
                delivered += sent
                queue[0].left -= sent
                if queue[0].left <= 0.001 { queue.removeFirst() }
            }
            let delay = queue.first.map { time - $0.time } ?? 0
            let left = queue.reduce(0) { $0 + $1.left }
            controller.update(
                RateController.Feedback(
                    time: time, queueDelay: delay + roundTrip, queuedBytes: Int(left), deliveredBytes: Int(delivered),
                    producedBytes: Int(produced), leastRoundTrip: roundTrip))
            samples.append((time, controller.bitRate, delay))
        }
    }

    /// The longest time that the queue stood for more than `limit` seconds.
    func longestTime(over limit: Double) -> Double {
        var (longest, begin) = (0.0, Double?.none)
        for sample in samples {
            begin = sample.delay > limit ? begin ?? sample.time : nil
            if let begin { longest = max(longest, sample.time - begin) }
        }
        return longest
    }

    func firstTime(after time: Double, _ condition: (Double) -> Bool) -> Double? {
        samples.first { $0.time > time && condition($0.rate) }.map { $0.time - time }
    }
}

@Suite struct RateControllerTests {
    @Test func aStepOfTheLinkIsFollowedDownWithinASecondAndUpWithinTen() throws {
        var link = SimulatedLink(minimum: 200_000, maximum: 3_600_000) { 5..<15 ~= $0 ? 800_000 : 4_000_000 }
        link.run(until: 30)
        #expect(link.longestTime(over: 0.5) < 1)
        #expect(try #require(link.firstTime(after: 5) { $0 < 800_000 }) < 1)
        #expect(try #require(link.firstTime(after: 15) { $0 >= 3_200_000 }) < 10)
        #expect(link.samples.filter { $0.time > 7 && $0.time < 15 }.allSatisfy { $0.delay < 0.5 })
    }

    @Test(arguments: [300_000.0, 800_000, 1_500_000, 3_000_000])
    func aLinkOfAQuarterOfTheFirstRateIsUsedWithoutALongQueue(capacity: Double) {
        var link = SimulatedLink(minimum: 100_000, maximum: 4 * capacity) { _ in capacity }
        link.run(until: 60)
        #expect(link.longestTime(over: 0.5) < 1)
        let late = link.samples.filter { $0.time > 20 }
        let mean = late.reduce(0) { $0 + $1.rate } / Double(late.count)
        #expect(mean > 0.6 * capacity && mean < 1.1 * capacity)
    }

    @Test func aLinkThatStopsCausesSkippedFramesAndAShortQueueAfterwards() {
        var link = SimulatedLink(minimum: 200_000, maximum: 2_000_000) { 5..<8 ~= $0 ? 0 : 3_000_000 }
        link.run(until: 8)
        // The queue stops to grow: it is as old as the stop, and no frame is behind the limit.
        #expect(link.skipped > 60)
        link.run(until: 20)
        #expect(link.samples.filter { $0.time > 8.6 }.allSatisfy { $0.delay < 0.5 })
        #expect((link.samples.last?.rate ?? 0) > 1_500_000)
    }

    @Test func belowTheLeastRateFramesAreSkipped() {
        var link = SimulatedLink(minimum: 400_000, maximum: 2_000_000) { $0 > 5 ? 150_000 : 4_000_000 }
        link.run(until: 30)
        #expect(link.controller.bitRate >= 400_000)
        #expect(link.skipped > 25 * 30 / 3)
        #expect(link.samples.filter { $0.time > 8 }.allSatisfy { $0.delay < 0.75 })
    }

    @Test func aPictureThatNeedsFewBitsDoesNotRaiseTheRate() {
        var link = SimulatedLink(minimum: 200_000, maximum: 4_000_000) { 2..<4 ~= $0 ? 500_000 : 4_000_000 }
        link.run(until: 4)
        let rate = link.controller.bitRate
        link.content = 0.2
        link.run(until: 20)
        #expect(link.controller.bitRate <= rate * 1.5)
    }

    @Test func timesThatDoNotIncreaseAreIgnored() {
        var controller = RateController(minimumBitRate: 1, maximumBitRate: 0, maximumDelay: -1)
        for time in [1.0, 1, 0.5, -3, .infinity] {
            controller.update(
                RateController.Feedback(
                    time: time, queueDelay: time, queuedBytes: .max, deliveredBytes: .min, producedBytes: .max,
                    leastRoundTrip: 9))
        }
        #expect(controller.bitRate >= 1)
    }
}
