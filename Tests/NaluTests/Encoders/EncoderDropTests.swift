import Testing

@testable import Nalu

/// Frames that the encoder itself leaves out to keep its rate.
@Suite struct EncoderDropTests {
    private static func script(_ dropped: Set<UInt64>) -> FakeScript {
        var script = FakeScript()
        script.droppedTokens = dropped
        return script
    }

    @Test func aDroppedFrameIsReturnedOnceWithoutASample() throws {
        let fake = try FakeSession(Self.script([2, 5]))
        #expect(fake.encode(0..<8) == Array(0..<8))
        try fake.session.complete()
        #expect(fake.returned.frames == Array(0..<8))
        for call in fake.returned.calls {
            let isDropped = [2, 5].contains(call.frame)
            #expect(call.status == .ok && (call.sample == nil) == isDropped)
            #expect(call.flags == (isDropped ? .frameDropped : []))
        }
        #expect(fake.encoders.happened.opens == 1 && fake.encoders.happened.misuse == [])
        #expect(fake.session.statistics.droppedFrames == 2)
    }

    @Test func aDroppedKeyFrameIsRequestedAgain() throws {
        let fake = try FakeSession(Self.script([3, 4]))
        for number in 0..<7 {
            try fake.encode(number, options: FrameOptions(forceKeyFrame: number == 3))
        }
        try fake.session.complete()
        let forced = fake.encoders.happened.frames.map { $0.forceKeyFrame }
        #expect(forced == [true, false, false, true, true, true, false])
        #expect(fake.returned.samples.map { $0.isKeyFrame } == [true, false, false, true, false])
    }
}
