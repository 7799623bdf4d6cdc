import Testing
import VideoToolbox

/// CMTime and CMTimeRange as Swift programs write them. Tests in C cover the arithmetic.
struct TimeTests {
    @Test func timesAreMade() {
        let time = CMTime(value: 1001, timescale: 30000)
        #expect(time.value == 1001 && time.timescale == 30000 && time.isNumeric && time.epoch == 0)
        #expect(CMTime(seconds: 0.1, preferredTimescale: 600).value == 60)
        #expect(CMTime(seconds: 0.5, preferredTimescale: 1).hasBeenRounded)
        #expect(CMTime(value: 3, timescale: 2).seconds == 1.5)
        #expect(CMTimeMake(value: 3, timescale: 2) == CMTimeMakeWithSeconds(1.5, preferredTimescale: 600))
        #expect(!CMTime(value: 1, timescale: 0).isValid)
        #expect(MemoryLayout<CMTime>.size == 24 && MemoryLayout<CMTimeRange>.stride == 48)
    }

    @Test func timesThatAreNoNumbersSaySo() {
        #expect(CMTIME_IS_INVALID(.invalid) && !CMTime.invalid.isValid && CMTime().isValid == false)
        #expect(CMTime.indefinite.isIndefinite && !CMTime.indefinite.isNumeric && CMTime.indefinite.seconds.isNaN)
        #expect(CMTime.positiveInfinity.isPositiveInfinity && CMTime.positiveInfinity.seconds == .infinity)
        #expect(CMTime.negativeInfinity.isNegativeInfinity && CMTIME_IS_NUMERIC(.zero))
    }

    @Test func operatorsCompute() {
        let half = CMTime(value: 1, timescale: 2)
        let third = CMTime(value: 1, timescale: 3)
        #expect(half + third == CMTime(value: 5, timescale: 6))
        #expect(half - third == CMTime(value: 1, timescale: 6))
        #expect(third < half && half > third && half >= half && half != third)
        #expect(max(half, third) == half && [half, .zero, third].sorted() == [.zero, third, half])
        #expect(half.convertScale(90000, method: .default).value == 45000)
        #expect(third.convertScale(10, method: .roundTowardPositiveInfinity).value == 4)
    }

    @Test func equalTimesHaveEqualHashes() {
        let times: Set<CMTime> = [
            CMTime(value: 1, timescale: 2), CMTime(value: 300, timescale: 600), CMTime(value: -300, timescale: 600),
            .zero, CMTime(value: 0, timescale: 90000), .invalid, CMTime(value: 5, timescale: 0), .indefinite,
        ]
        #expect(times.count == 5)
    }

    @Test func rangesContain() {
        let range = CMTimeRange(start: CMTime(value: 1, timescale: 1), duration: CMTime(value: 2, timescale: 1))
        #expect(range.end == CMTime(value: 3, timescale: 1) && range.isValid && !range.isEmpty)
        #expect(range == CMTimeRange(start: range.start, end: CMTime(value: 30, timescale: 10)))
        #expect(range.containsTime(range.start) && !range.containsTime(range.end))
        #expect(
            range.intersection(CMTimeRange(start: .zero, end: CMTime(value: 2, timescale: 1))).duration.seconds == 1)
        #expect(range.union(.zero).start == .zero && range.containsTimeRange(range))
        #expect(!CMTimeRange.invalid.isValid && CMTimeRange.zero.isEmpty && CMTIMERANGE_IS_INVALID(.invalid))
        #expect(Set([range, CMTimeRange(start: range.start, end: range.end)]).count == 1)
    }

    @Test func timebasesFollowTheirSource() throws {
        let timebase = try CMTimebase(sourceClock: .hostTimeClock)
        let follower = try CMTimebase(sourceTimebase: timebase)
        #expect(timebase.rate == 0 && timebase.time == .zero)
        try timebase.setTime(CMTime(value: 7, timescale: 2))
        #expect(timebase.time.seconds == 3.5)
        try timebase.setRate(2)
        try follower.setRate(0.5)
        #expect(follower.effectiveRate == 1 && follower.rate(relativeTo: timebase) == 0.5)
        #expect(!follower.mightDrift(relativeTo: CMClock.hostTimeClock) && timebase.time.seconds >= 3.5)
        #expect(throws: (any Error).self) { try timebase.setRate(.nan) }
    }
}
