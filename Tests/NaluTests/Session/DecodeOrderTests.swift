import Testing

@testable import Nalu

/// Encoders that delay frames and output them in another order.
@Suite struct DecodeOrderTests {
    @Test(arguments: FakeScript.shapes)
    func samplesAreInDecodeOrderWithMatchingTimes(script: FakeScript) throws {
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
}
