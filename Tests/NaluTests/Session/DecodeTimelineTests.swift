import Testing

@testable import Nalu

/// Decode times: the n-th smallest presentation time, minus the reorder depth.
@Suite struct DecodeTimelineTests {
    private static func time(_ milliseconds: Int64) -> MediaTime { MediaTime(value: milliseconds, timescale: 1000) }

    @Test func withoutReorderingDecodeTimesArePresentationTimes() {
        var timeline = DecodeTimeline(reorderDepth: 0)
        for value in [Int64(-7), 0, 3, 1_000_000_007] {
            let time = MediaTime(value: value, timescale: 999, flags: [.valid, .hasBeenRounded], epoch: 0)
            timeline.accept(time, duration: .invalid)
            #expect(timeline.next(presentation: time).isIdentical(to: time))
        }
    }

    @Test(
        arguments: [1, 2], [[0, 33, 67, 100, 133, 167], [0, 10, 500, 501, 2000, 2001, 9000], [-50, -20, 0, 1, 2, 3]])
    func theNthPictureGetsTheTimeOfTheFrameThatManyBefore(depth: Int, milliseconds: [Int64]) {
        let times = milliseconds.map(Self.time)
        var timeline = DecodeTimeline(reorderDepth: depth)
        for time in times { timeline.accept(time, duration: .invalid) }
        let decoded = times.map { timeline.next(presentation: $0) }
        #expect(Array(decoded.dropFirst(depth)) == Array(times.dropLast(depth)))
        #expect(zip(decoded, decoded.dropFirst()).allSatisfy { $0 < $1 })
        // Times before the first one are one frame apart.
        let step = times[1] - times[0]
        #expect(decoded[depth - 1] == times[0] - step)
        if depth == 2 { #expect(decoded[0] == times[0] - step - step) }
    }

    @Test func theDecodeTimeOfASingleFramePrecedesItByItsDuration() {
        var timeline = DecodeTimeline(reorderDepth: 2)
        timeline.accept(Self.time(100), duration: Self.time(40))
        #expect(timeline.next(presentation: Self.time(100)) == Self.time(20))

        var unknown = DecodeTimeline(reorderDepth: 1)
        unknown.accept(.zero, duration: .invalid)
        #expect(unknown.next(presentation: .zero) == MediaTime(value: -1, timescale: 30))
    }

    /// The step must not change after its first use: a long gap after the first frame would move the second decode time
    /// before the first.
    @Test(arguments: [1, 2, 3])
    func firstDecodeTimesIncreaseForAnyLaterFrames(depth: Int) {
        for gap: Int64 in [1, 39, 40, 41, 10_000, 100_000_000] {
            var timeline = DecodeTimeline(reorderDepth: depth)
            var last = MediaTime.negativeInfinity
            for number in 0..<Int64(6) {
                let time = Self.time(number == 0 ? 0 : gap + 40 * number)
                // Each frame is delivered before the next one is encoded, as between calls of complete().
                timeline.accept(time, duration: Self.time(40))
                let decode = timeline.next(presentation: time)
                #expect(decode > last && decode <= time, "gap \(gap), frame \(number)")
                last = decode
            }
        }
    }

    @Test func frameLossDoesNotMoveLaterTimesFurtherBack() throws {
        var script = FakeScript(delay: 4, group: [2, 0, 1])
        script.failingEncodes = [12]
        let fake = try FakeSession(script)
        let accepted = fake.encode(0..<60)
        try fake.session.complete()
        fake.expectContract(accepted: accepted)
        let samples = fake.returned.samples
        #expect(samples.count < 60)
        let sorted = samples.map { $0.presentationTime }.sorted()
        #expect(Array(samples.map { $0.decodeTime }.dropFirst()) == Array(sorted.dropLast()))
    }
}
