import Testing

@testable import Nalu

/// The frames that are forced to be key frames.
@Suite struct KeyFramePolicyTests {
    private static func time(_ milliseconds: Int) -> MediaTime {
        MediaTime(value: Int64(milliseconds), timescale: 1000)
    }

    /// Returns the key frames among frames at these times; each frame lasts until the next one.
    private static func keys(
        _ milliseconds: [Int], durations: Bool = true, _ settings: (Int) -> KeyFrameSettings
    ) -> [Int] {
        var policy = KeyFramePolicy()
        return milliseconds.indices.filter { index in
            let next = index + 1 < milliseconds.count ? milliseconds[index + 1] : milliseconds[index] + 33
            policy.advance(to: time(milliseconds[index]))
            let isKey = policy.mustBeKey(
                number: UInt64(index), time: time(milliseconds[index]),
                duration: durations ? time(next - milliseconds[index]) : .invalid, settings: settings(index))
            if isKey { policy.noteKey(number: UInt64(index), time: time(milliseconds[index])) }
            return isKey
        }
    }

    @Test(arguments: [1, 2, 3, 30, 249])
    func theIntervalCountsFrames(interval: Int) {
        let keys = Self.keys(Array(0..<500)) { _ in KeyFrameSettings(maxInterval: interval) }
        #expect(keys == Array(stride(from: 0, to: 500, by: interval)))
    }

    @Test func theDefaultIntervalIs250FramesOrTheEncoders() {
        #expect(Self.keys(Array(0..<600)) { _ in KeyFrameSettings() } == [0, 250, 500])
        var policy = KeyFramePolicy(countsWhenUnset: false)
        policy.noteKey(number: 0, time: .zero)
        #expect(
            !policy.mustBeKey(number: 1_000_000, time: Self.time(9), duration: .invalid, settings: KeyFrameSettings()))
        let settings = KeyFrameSettings(maxInterval: 10)
        #expect(policy.mustBeKey(number: 10, time: Self.time(9), duration: .invalid, settings: settings))
    }

    @Test func theIntervalLimitHoldsWithAnySettings() {
        var policy = KeyFramePolicy(countsWhenUnset: false, limit: 65536)
        for settings in [KeyFrameSettings(), KeyFrameSettings(maxInterval: .max)] {
            policy.noteKey(number: 7, time: Self.time(0))
            for (number, isKey) in [(65542, false), (65543, true)] as [(UInt64, Bool)] {
                #expect(
                    policy.mustBeKey(number: number, time: Self.time(1), duration: .invalid, settings: settings)
                        == isKey)
            }
        }
    }

    @Test func withKeyFramesOnlyEveryFrameIsOne() {
        #expect(Self.keys([0, 5, 9, 12]) { _ in KeyFrameSettings(allowTemporalCompression: false) } == [0, 1, 2, 3])
    }

    @Test(arguments: [0.05, 0.5, 1, 1.001, 2, 10])
    func aConstantFrameRateUsesTheEntireDuration(seconds: Double) {
        var policy = KeyFramePolicy()
        let settings = KeyFrameSettings(maxInterval: .max, maxDuration: seconds)
        let duration = MediaTime(value: 1001, timescale: 30000)
        var keys: [Int] = []
        for number in 0..<400 {
            let time = MediaTime(value: Int64(number) * 1001, timescale: 30000)
            if policy.mustBeKey(number: UInt64(number), time: time, duration: duration, settings: settings) {
                policy.noteKey(number: UInt64(number), time: time)
                keys.append(number)
            }
        }
        let frames = Int((seconds * 30000 / 1001 + 1e-6).rounded(.down))
        #expect(keys == Array(stride(from: 0, to: 400, by: frames)))
    }

    /// The limit holds with any spacing of frames and any interval.
    @Test(arguments: 0..<40)
    func theDistanceNeverExceedsTheDuration(seed: UInt64) {
        var random = TestRandom(seed: seed)
        var milliseconds = [0]
        for _ in 0..<300 {
            let step =
                Bool.random(using: &random)
                ? Int.random(in: 1...50, using: &random) : Int.random(in: 1...400, using: &random)
            milliseconds.append(milliseconds[milliseconds.count - 1] + step)
        }
        let limit = [400, 500, 1000, 1234][Int(seed % 4)]
        let interval = [0, 3, 7, Int.max][Int(seed / 4 % 4)]
        let keys = Self.keys(milliseconds) { _ in
            KeyFrameSettings(maxInterval: interval, maxDuration: Double(limit) / 1000)
        }
        for (key, next) in zip(keys, keys.dropFirst()) {
            #expect(milliseconds[next] - milliseconds[key] <= limit)
            if interval > 0 { #expect(next - key <= interval) }
            // No key frame is unnecessary: one frame later would have been too late.
            if next + 1 < milliseconds.count && (interval == 0 || next - key < interval) {
                #expect(
                    milliseconds[next + 1] - milliseconds[key] > limit
                        || milliseconds[next] - milliseconds[key] == limit)
            }
        }
    }

    @Test func withoutDurationsTheFrameThatReachesTheLimitIsTheKeyFrame() {
        let keys = Self.keys(Array(stride(from: 0, to: 3000, by: 100)), durations: false) { _ in
            KeyFrameSettings(maxDuration: 1)
        }
        #expect(keys == [0, 10, 20])
    }

    @Test func withoutDurationsAFrameIsExpectedToLastAsLongAsTheLongestSinceTheKeyFrame() {
        // The frame at 210 can last 120 ms, as long as the frame before 180.
        let few = Self.keys([0, 60, 180, 210, 240, 340], durations: false) { _ in KeyFrameSettings(maxDuration: 0.3) }
        #expect(few == [0, 3])
        // Every tenth frame lasts half a second, or every twentieth more than a second: no key frame is late.
        for (count, length) in [(10, 500), (20, 1100)] {
            var milliseconds = [0]
            for number in 1..<200 {
                milliseconds.append(milliseconds[number - 1] + (number % count == 1 ? length : 33))
            }
            let keys = Self.keys(milliseconds, durations: false) { _ in KeyFrameSettings(maxDuration: 1.5) }
            for (key, next) in zip(keys, keys.dropFirst()) { #expect(milliseconds[next] - milliseconds[key] <= 1500) }
        }
    }

    @Test func bothIntervalLimitsHold() {
        let keys = Self.keys([0, 10, 20, 30, 500, 900, 1300, 1310, 1320, 1330, 1340]) { _ in
            KeyFrameSettings(maxInterval: 4, maxDuration: 0.5)
        }
        #expect(keys == [0, 4, 5, 9])
    }

    @Test func aChangeTakesEffectWithTheNextFrame() {
        let keys = Self.keys(Array(0..<40)) { KeyFrameSettings(maxInterval: $0 < 17 ? 10 : $0 < 25 ? 3 : 0) }
        #expect(keys == [0, 10, 17, 20, 23])
    }

    @Test func theEncodersKeyFramesRestartTheIntervalEvenIfReportedLate() {
        var policy = KeyFramePolicy()
        let settings = KeyFrameSettings(maxInterval: 10)
        func isKey(_ number: UInt64) -> Bool {
            policy.mustBeKey(number: number, time: Self.time(Int(number)), duration: .invalid, settings: settings)
        }
        #expect(isKey(0))
        policy.noteKey(number: 0, time: .zero)
        policy.noteKey(number: 4, time: Self.time(4))
        #expect(!isKey(13) && isKey(14))
        policy.noteKey(number: 14, time: Self.time(14))
        // The encoder reports an earlier key frame only now.
        policy.noteKey(number: 8, time: Self.time(8))
        #expect(!isKey(23) && isKey(24))
    }

    @Test func timesThatAreNotNumericCauseAKeyFrame() {
        var policy = KeyFramePolicy()
        policy.noteKey(number: 0, time: MediaTime(value: 5, timescale: 30))
        let later = MediaTime(value: 0, timescale: 30, flags: .valid, epoch: 1)
        #expect(
            policy.mustBeKey(number: 1, time: later, duration: .invalid, settings: KeyFrameSettings(maxDuration: 9)))
        #expect(!policy.mustBeKey(number: 1, time: later, duration: .invalid, settings: KeyFrameSettings()))
    }
}
