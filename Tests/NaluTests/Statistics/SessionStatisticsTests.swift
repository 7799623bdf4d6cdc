import Testing

@testable import Nalu

/// The statistics of a session.
@Suite struct SessionStatisticsTests {
    /// Checks that the counts equal those of the handler's calls, and that their sum is right.
    private static func expectCounts(
        _ fake: FakeSession, accepted: Int, _ location: SourceLocation = #_sourceLocation
    ) {
        let it = fake.session.statistics
        let calls = fake.returned.calls
        let samples = fake.returned.samples
        #expect(it.acceptedFrames == UInt64(accepted), sourceLocation: location)
        #expect(it.pendingFrames == UInt64(accepted - calls.count), sourceLocation: location)
        #expect(it.encodedFrames == UInt64(samples.count), sourceLocation: location)
        #expect(it.keyFrames == UInt64(samples.count { $0.isKeyFrame }), sourceLocation: location)
        #expect(it.bytes == UInt64(samples.reduce(0) { $0 + $1.data.count }), sourceLocation: location)
        let dropped = calls.count { $0.flags.contains(.frameDropped) }
        #expect(it.droppedFrames == UInt64(dropped), sourceLocation: location)
        #expect(it.failedFrames == UInt64(calls.count - samples.count - dropped), sourceLocation: location)
        #expect(
            it.acceptedFrames == it.encodedFrames + it.droppedFrames + it.failedFrames + it.pendingFrames,
            sourceLocation: location)
    }

    @Test(arguments: FakeScript.shapes)
    func failuresAndDropsAreCounted(shape: FakeScript) throws {
        var script = shape
        script.failingEncodes = [3, 4, 9]
        script.failingOpens = [2]
        let fake = try FakeSession(script)
        #expect(fake.encode(0..<12).count == 12)
        try fake.session.complete()
        Self.expectCounts(fake, accepted: 12)
        #expect(fake.session.statistics.failedFrames >= 3)

        let gate = Gate()
        script = shape
        script.gate = gate
        let ended = try FakeSession(script)
        #expect(ended.encode(0..<3).count == 3)
        #expect(eventually { gate.waiting == 1 })
        Self.expectCounts(ended, accepted: 3)
        let ending = TestThread { try? ended.session.invalidate() }
        #expect(eventually { (try? ended.session.property(.encoderID)) == nil })
        gate.open()
        #expect(ending.join())
        Self.expectCounts(ended, accepted: 3)
        #expect(ended.session.statistics.droppedFrames >= 2)
    }

    @Test func encodeTimesAreThoseOfTheEncoder() throws {
        var script = FakeScript()
        script.milliseconds = 3
        script.failingEncodes = [4]
        let fake = try FakeSession(script, returned: Collector(milliseconds: 20))
        let clock = ContinuousClock()
        let start = clock.now
        _ = fake.encode(0..<5)
        try fake.session.complete()
        let passed = clock.now - start
        let it = fake.session.statistics
        #expect(it.encodeTimeP50 >= 0.003 && it.encodeTimeP50 <= it.encodeTimeP99)
        #expect(it.encodeTimeP99 == it.longestEncodeTime)
        // The time of the handler does not count.
        #expect(.seconds(it.encodeTimeP50 * 2) <= passed - .milliseconds(5 * 20))
    }

    // MARK: Gathering

    @Test func percentilesAreOfTheLastFramesAndTheLongestOfAll() {
        var collector = StatisticsCollector()
        collector.noteEncode(seconds: 9)
        for number in 1...StatisticsCollector.window { collector.noteEncode(seconds: Double(number) / 1024) }
        #expect(collector.values.encodeTimeP50 == 128.0 / 1024)
        #expect(collector.values.encodeTimeP99 == 254.0 / 1024)
        #expect(collector.values.longestEncodeTime == 9)
    }

    @Test func samplesWithoutAQPDoNotChangeTheMean() {
        var collector = StatisticsCollector()
        for (number, qp) in [20, Double.nan, 30].enumerated() {
            collector.noteSample(
                bytes: 1000, isKeyFrame: number == 0, averageQP: qp, quality: nil, decodeTime: Double(number) / 10)
            #expect(collector.values.lastQP.isNaN == qp.isNaN)
        }
        let it = collector.values
        #expect(it.meanQP == 25 && it.lastQP == 30)
        #expect(it.encodedFrames == 3 && it.keyFrames == 1 && it.bytes == 3000)
        #expect(it.currentBitRate == 80_000 && it.meanBitRate == 80_000)
    }

    @Test func lossesAreDropsOrFailures() {
        var collector = StatisticsCollector()
        for isDrop in [true, false, true] { collector.noteLoss(isDrop: isDrop) }
        #expect(collector.values.droppedFrames == 2 && collector.values.failedFrames == 1)
        #expect(collector.values.lastQP.isNaN && collector.values.encodedFrames == 0)
    }
}
