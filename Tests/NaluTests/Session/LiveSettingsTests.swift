import Testing

@testable import Nalu

/// A live property takes effect with the next encoded frame. Waiting frames keep the values that held for them.
@Suite struct LiveSettingsTests {
    private static func gated() throws -> (fake: FakeSession, gate: Gate) {
        let gate = Gate()
        var script = FakeScript()
        script.gate = gate
        return (try FakeSession(script), gate)
    }

    private static func kilobits(_ plan: RatePlan) -> Int {
        if case .kilobitsPerSecond(let rate) = plan.aim { rate } else { -1 }
    }

    @Test func aFrameKeepsItsBitRate() throws {
        let (fake, gate) = try Self.gated()
        try fake.session.set(.averageBitRate, 1_000_000)
        _ = fake.encode(0..<1)
        try fake.session.set(.averageBitRate, 500_000)
        _ = fake.encode(1..<2)
        try fake.session.set(.averageBitRate, 2_000_000)
        _ = fake.encode(2..<3)
        try fake.session.set(.averageBitRate, 3_000_000)
        gate.open()
        try fake.session.complete()
        _ = fake.encode(3..<4)
        try fake.session.complete()
        let told = fake.encoders.happened.frames.map { Self.kilobits($0.rate) }
        #expect(told.prefix(2) == [1000, 500])
        // An increase begins with more than the new rate.
        #expect((2000...6000).contains(told[2]) && (3000...9000).contains(told[3]))
        // The change makes no key frame, and opens no other encoder.
        #expect(fake.encoders.happened.frames.map { $0.forceKeyFrame } == [true, false, false, false])
        #expect(fake.encoders.happened.opens == 1)
    }

    @Test func aFrameKeepsItsLimitsAndQuality() throws {
        let (fake, gate) = try Self.gated()
        try fake.session.set([(.quality, 0.25), (.dataRateLimits, [100_000, 1])])
        _ = fake.encode(0..<1)
        try fake.session.set(.quality, 0.75)
        _ = fake.encode(1..<2)
        try fake.session.set(.dataRateLimits, [50_000, 1])
        _ = fake.encode(2..<3)
        gate.open()
        try fake.session.complete()
        let plans = fake.encoders.happened.frames.map { $0.rate }
        #expect(plans.map { $0.aim } == [.quality(0.25), .quality(0.75), .quality(0.75)])
        #expect(plans[0].vbvBuffer == plans[1].vbvBuffer)
        #expect(try #require(plans[2].vbvBuffer).kilobits < #require(plans[1].vbvBuffer).kilobits)
    }

    @Test func aFrameKeepsItsKeyFrameSettings() throws {
        let (fake, gate) = try Self.gated()
        _ = fake.encode(0..<1)
        try fake.session.set(.allowTemporalCompression, false)
        _ = fake.encode(1..<2)
        try fake.session.set(.allowTemporalCompression, true)
        _ = fake.encode(2..<3)
        gate.open()
        try fake.session.complete()
        try fake.session.set(.maxKeyFrameInterval, 2)
        _ = fake.encode(3..<8)
        try fake.session.set(.maxKeyFrameInterval, 0)
        try fake.session.set(.maxKeyFrameIntervalDuration, 0.1)
        _ = fake.encode(8..<13)
        try fake.session.complete()
        let keys = fake.encoders.happened.frames.filter { $0.forceKeyFrame }.map { $0.token }
        #expect(keys == [0, 1, 3, 5, 7, 10])
    }

    @Test func anEncodersKeyFrameRestartsTheInterval() throws {
        var script = FakeScript()
        script.sceneCuts = [3, 9]
        let fake = try FakeSession(script)
        try fake.session.set(.maxKeyFrameInterval, 5)
        // The frames are encoded one by one, so that a key frame of the encoder is known before the next frame.
        for number in 0..<20 {
            try fake.encode(number)
            try fake.session.complete()
        }
        #expect(fake.returned.calls.filter { $0.sample?.isKeyFrame == true }.map { $0.frame } == [0, 3, 8, 9, 14, 19])
    }
}
