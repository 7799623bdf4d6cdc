import Testing

@testable import Nalu

@Suite struct LossRecoveryTests {
    /// A key frame 0 and frames up to `last`, each of which refers to the one before.
    private static func recovery(_ last: UInt64, capacity: Int = 8) -> LossRecovery {
        var recovery = LossRecovery(capacity: capacity)
        for number in 0...last { recovery.note(number: number, isKeyFrame: number == 0, isIntra: number == 0) }
        return recovery
    }

    @Test func withoutAcknowledgementsItIsAKeyFrame() {
        var recovery = Self.recovery(3)
        #expect(recovery.refresh() == .keyFrame)
        var empty = LossRecovery(capacity: 4)
        #expect(empty.refresh() == .keyFrame)
    }

    @Test func whatIsNotAcknowledgedIsForgotten() {
        var recovery = Self.recovery(5)
        // One stands for all before it.
        recovery.acknowledge([3])
        #expect(recovery.refresh() == .forget(from: 4))
        // Once more: nothing new to forget.
        #expect(recovery.refresh() == .nothing)
    }

    @Test func aRefreshThatIsLostIsForgottenToo() {
        var recovery = Self.recovery(5)
        recovery.acknowledge([2])
        #expect(recovery.refresh() == .forget(from: 3))
        recovery.note(number: 6, isKeyFrame: false, isIntra: false)
        recovery.note(number: 7, isKeyFrame: false, isIntra: false)
        #expect(recovery.refresh() == .forget(from: 6))
        recovery.note(number: 8, isKeyFrame: false, isIntra: false)
        // 8 refers to 2, and acknowledges nothing that was forgotten.
        recovery.acknowledge([8])
        #expect(recovery.refresh() == .nothing)
    }

    @Test func acknowledgementsOfForgottenFramesDoNotBringThemBack() {
        var recovery = Self.recovery(3)
        recovery.acknowledge([1])
        #expect(recovery.refresh() == .forget(from: 2))
        recovery.note(number: 4, isKeyFrame: false, isIntra: false)
        recovery.acknowledge([3])
        #expect(recovery.refresh() == .forget(from: 4))
    }

    @Test func anIntraFrameAcknowledgesItselfAlone() {
        var recovery = Self.recovery(2)
        recovery.note(number: 3, isKeyFrame: false, isIntra: true)
        recovery.acknowledge([3])
        // x264 forgets only all that came after.
        #expect(recovery.refresh() == .keyFrame)
    }

    @Test func whatTheEncoderLetGoIsNotReferredTo() {
        var recovery = Self.recovery(3, capacity: 4)
        recovery.acknowledge([0])
        recovery.note(number: 4, isKeyFrame: false, isIntra: false)
        #expect(recovery.refresh() == .keyFrame)
        // The key frame that follows begins anew.
        recovery.note(number: 5, isKeyFrame: true, isIntra: true)
        recovery.note(number: 6, isKeyFrame: false, isIntra: false)
        recovery.acknowledge([3, -1, 5, .max, .min])
        #expect(recovery.refresh() == .forget(from: 6))
    }
}
