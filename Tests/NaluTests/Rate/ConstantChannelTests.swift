import Testing

@testable import Nalu

/// The capacity of a channel with 1000 bits per second and a buffer of 500 bits.
@Suite struct ConstantChannelTests {
    private func channel(countsFrames: Bool = false) -> ConstantChannel {
        ConstantChannel(rate: 1000, capacity: 500, frameSeconds: 0.1, countsFrames: countsFrames)
    }

    private func admits(
        _ channel: inout ConstantChannel, _ bits: Double, at time: Double, isKey: Bool = false
    ) -> Bool {
        channel.advance(to: time)
        guard channel.hasRoom(bits: bits, isKeyFrame: isKey) else { return false }
        channel.take(bits: bits)
        return true
    }

    @Test func aPictureUsesAtMostTheArrivedBits() {
        var it = channel()
        #expect(it.fill == nil)
        // The buffer starts at nine tenths.
        #expect(!admits(&it, 452, at: 0))
        #expect(it.hasRoom(bits: 450, isKeyFrame: false))
        it.take(bits: 450)
        #expect(!admits(&it, 102, at: 0.1))
        #expect(admits(&it, 300, at: 0.3))
        #expect(!admits(&it, 102, at: 0.4))
    }

    @Test func theVBVBufferIsLimitedToItsSize() {
        var it = channel()
        #expect(admits(&it, 100, at: 0))
        #expect(!admits(&it, 502, at: 100))
        #expect(admits(&it, 500, at: 100.1))
    }

    @Test func withoutDelayEachFrameAddsItsShare() {
        var it = channel(countsFrames: true)
        #expect(admits(&it, 500, at: 0))
        #expect(admits(&it, 100, at: 0.001))
        #expect(!admits(&it, 102, at: 50))
        #expect(admits(&it, 200, at: 50.001))
    }

    @Test func aKeyFrameLargerThanTheBufferIsCarriedBeforeAnythingElse() {
        var it = channel()
        #expect(!admits(&it, 800, at: 0, isKey: true))
        #expect(!admits(&it, 800, at: 0.1))
        #expect(admits(&it, 800, at: 0.2, isKey: true))
        #expect(!admits(&it, 10, at: 0.4))
        #expect(!admits(&it, 800, at: 0.6, isKey: true))
        #expect(admits(&it, 10, at: 0.6))
    }

    @Test func timesThatDecreaseAddAFramesShare() {
        var it = channel()
        #expect(admits(&it, 450, at: 10))
        #expect(admits(&it, 100, at: 0))
        #expect(!admits(&it, 102, at: .nan))
    }

    @Test func aReopenedEncoderContinuesWithTheFullness() {
        var it = channel()
        #expect(admits(&it, 400, at: 0))
        // 50 bits are left, and 100 flow in.
        #expect(abs((it.fill ?? 0) - 0.3) < 1e-9)
    }

    /// The encoder writes filler against an overflow, except for a dropped picture, which it counts as sent.
    @Test func fillerTakesThePlaceOfADroppedPicture() {
        var it = channel()
        it.advance(to: 0)
        var filler = [it.take(bits: 450)]
        it.advance(to: 0.4)
        it.drop(bits: 900)
        // From 0.5 s on the buffer held 500 bits, so 200 bits were too many.
        it.advance(to: 0.7)
        filler.append(it.take(bits: 10))
        it.advance(to: 0.8)
        filler.append(it.take(bits: 10))
        #expect(zip(filler, [0, 200, 90]).allSatisfy { abs($0 - $1) < 1 })
        // The encoder has already filled an earlier overflow.
        var other = channel()
        other.advance(to: 0)
        other.take(bits: 1)
        other.advance(to: 9)
        let own = other.take(bits: 1)
        #expect(own == 0)
    }

    @Test func theGuardDropsPicturesThatReferToADroppedOne() {
        var guardian = DataRateGuard(channel: channel())
        func admits(_ number: UInt64, _ bytes: Int, _ time: Double, isKey: Bool = false) -> Bool {
            guardian.admits(
                number: number, bytes: bytes, time: time, isKeyFrame: isKey, isReference: true,
                limits: FrameLimits(limits: DataRateLimits(), since: 0))
        }
        #expect(admits(0, 50, 0, isKey: true))
        #expect(!admits(1, 50, 0.1))
        let mustBeKey = guardian.mustBeKey(number: 3)
        #expect(mustBeKey)
        #expect(!admits(2, 1, 0.2))
        #expect(admits(3, 30, 0.3, isKey: true))
        #expect(admits(4, 10, 0.4))
    }
}
