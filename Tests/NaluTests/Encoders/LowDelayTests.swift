import Testing

@testable import Nalu

/// RealTime and MaxFrameDelayCount with the real encoder.
@Suite struct LowDelayTests {
    private static func session(
        _ properties: [(key: PropertyKey, value: PropertyValue?)], _ returned: Collector
    ) throws -> CompressionSession {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: { returned.receive($0) })
        try session.set(properties)
        return session
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 8, 40])
    func beforeEncodeOfFrameNReturnsFrameNMinusMHasComeBack(count: Int) throws {
        let returned = Collector()
        let session = try Self.session([(.maxFrameDelayCount, .integer(Int64(count)))], returned)
        for number in 0..<50 {
            try session.encode(
                SampleContentTests.movingFrame(number), presentationTime: FakeSession.time(number),
                refcon: refcon(number))
            let back = Set(returned.frames)
            #expect(number < count || Set(0...(number - count)).isSubset(of: back), "frame \(number)")
        }
        try session.complete()
        #expect(returned.samples.count == 50)
    }

    @Test(arguments: [
        [(PropertyKey.realTime, PropertyValue.bool(true))], [(.maxFrameDelayCount, .integer(0))],
        [(.x264Tune, .string("zerolatency"))], [(.realTime, .bool(true)), (.x264Preset, .string("slow"))],
    ])
    func aLowDelaySessionHoldsNoFrameBack(properties: [(PropertyKey, PropertyValue)]) throws {
        let returned = Collector()
        let session = try Self.session(properties.map { ($0.0, $0.1) }, returned)
        for number in 0..<10 {
            try session.encode(
                SampleContentTests.movingFrame(number), presentationTime: FakeSession.time(number),
                refcon: refcon(number))
            #expect(eventually { returned.frames.count == number + 1 })
        }
        #expect(try session.property(.reorderDepth) == 0)
        #expect(try session.property(.allowFrameReordering) == false)
        for sample in returned.samples { #expect(sample.decodeTime.isIdentical(to: sample.presentationTime)) }
    }

    @Test func optionsThatHoldMoreBackThanAllowedAreAConflict() throws {
        let session = try Self.session(
            [(.maxFrameDelayCount, 3), (.x264Params, "rc-lookahead=40:sync-lookahead=30:sliced-threads=0:threads=4")],
            Collector())
        #expect(TestBytes.status { () throws(NaluError) in try session.prepare() } == .conflict)
    }
}
