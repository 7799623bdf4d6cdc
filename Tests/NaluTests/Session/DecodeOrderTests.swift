import Testing

@testable import Nalu

/// Encoders that delay frames and output them in another order.
@Suite struct DecodeOrderTests {
    @Test(arguments: FakeScript.shapes)
    func samplesComeInDecodeOrderWithTimesThatFit(script: FakeScript) throws {
        for count in [1, 2, 3, 4, 5, 17] {
            let fake = try FakeSession(script)
            #expect(fake.encode(0..<count) == Array(0..<count))
            try fake.session.complete()
            fake.expectContract(accepted: Array(0..<count))
            #expect(fake.returned.frames.map { UInt64($0) } == fake.encoders.happened.pictures)
            #expect(fake.returned.samples.count == count)
        }
    }

    /// dts[n] is the n-th smallest pts, minus the reorder depth. This holds for the entire session, also across
    /// complete().
    @Test(arguments: FakeScript.shapes, [[8], [1, 1, 1, 9], [2, 5, 1, 3], [4, 4, 4]])
    func decodeTimesAreTheSortedPresentationTimesAlsoAcrossComplete(script: FakeScript, parts: [Int]) throws {
        let fake = try FakeSession(script)
        var count = 0
        for part in parts {
            _ = fake.encode(count..<count + part)
            try fake.session.complete()
            count += part
        }
        fake.expectContract(accepted: Array(0..<count))
        let depth = script.reorderDepth
        for (position, sample) in fake.returned.samples.enumerated() where position >= depth {
            #expect(sample.decodeTime.isIdentical(to: FakeSession.time(position - depth)))
        }
        for (position, sample) in fake.returned.samples.prefix(depth).enumerated() {
            #expect(sample.decodeTime == FakeSession.time(position - depth))
        }
    }

    @Test(arguments: FakeScript.shapes)
    func presentationTimesOfAnySpacingAndTimescaleComeBackAsTheyWere(script: FakeScript) throws {
        let times = [
            MediaTime(value: -3, timescale: 7), MediaTime(value: 0, timescale: 1), MediaTime(value: 1, timescale: .max),
            MediaTime(value: 1001, timescale: 30000),
            MediaTime(value: 60, timescale: 600, flags: [.valid, .hasBeenRounded], epoch: 0),
            MediaTime(value: 90_000_001, timescale: 90_000), MediaTime(value: 5_000_000_000, timescale: 1000),
            MediaTime(value: 5_000_000_001, timescale: 1000),
        ]
        let fake = try FakeSession(script)
        for (number, time) in times.enumerated() { try fake.encode(number, time: time) }
        try fake.session.complete()
        var last = MediaTime.negativeInfinity
        #expect(fake.returned.frames.sorted() == Array(times.indices))
        for call in fake.returned.calls {
            let sample = try #require(call.sample)
            #expect(sample.presentationTime.isIdentical(to: times[call.frame]))
            #expect(sample.decodeTime > last && sample.decodeTime <= sample.presentationTime)
            last = sample.decodeTime
        }
    }

    @Test func attachmentsTellKeyFramesAndReordering() throws {
        let fake = try FakeSession(FakeScript(delay: 4, group: [2, 0, 1]))
        _ = fake.encode(0..<7)
        try fake.session.complete()
        for sample in fake.returned.samples {
            #expect(sample.isKeyFrame == (sample.presentationTime == .zero))
            #expect(sample.attachments.contains(.dependsOnOthers) == !sample.isKeyFrame)
            #expect(sample.attachments.contains(.earlierDisplayTimesAllowed) == !sample.isKeyFrame)
        }
        #expect(try fake.session.property(.reorderDepth) == 1)
        #expect(try fake.session.property(.allowFrameReordering) == true)
    }

    @Test func consecutiveSamplesShareOneFormatDescription() throws {
        let fake = try FakeSession(FakeScript(delay: 2))
        _ = fake.encode(0..<4)
        try fake.session.complete()
        _ = fake.encode(4..<8)
        try fake.session.complete()
        let formats = fake.returned.samples.map { ObjectIdentifier($0.formatDescription) }
        #expect(formats.count == 8 && Set(formats).count == 1)
    }
}
