import Testing

@testable import Nalu

@Suite struct LossRecoveryTests {
    /// Returns the state after key frame 0 and frames up to `last`, each of which refers to the frame before.
    private static func recovery(_ last: UInt64, capacity: Int = 8) -> LossRecovery {
        var recovery = LossRecovery(capacity: capacity)
        for number in 0...last { recovery.note(number: number, isKeyFrame: number == 0, isIntra: number == 0) }
        return recovery
    }

    @Test func withoutAcknowledgementsARefreshIsAKeyFrame() {
        var recovery = Self.recovery(8)
        #expect(recovery.next(isRefresh: true) == .keyFrame)
        var empty = LossRecovery(capacity: 4)
        #expect(empty.next(isRefresh: true) == .keyFrame)
        #expect(empty.next(isRefresh: false) == .keyFrame)
    }

    @Test func aKeyFrameInTransitIsNotRepeated() {
        var recovery = Self.recovery(3)
        #expect(recovery.next(isRefresh: true) == .forget(from: 1))
        #expect(recovery.note(number: 4, isKeyFrame: false, isIntra: false) == 0)
        #expect(recovery.next(isRefresh: true) == .forget(from: 4))
        // A frame acknowledged since then is newer.
        #expect(recovery.note(number: 5, isKeyFrame: false, isIntra: false) == 0)
        #expect(recovery.note(number: 6, isKeyFrame: false, isIntra: false) == 5)
        recovery.acknowledge([5])
        #expect(recovery.next(isRefresh: true) == .forget(from: 6))
    }

    @Test func aKeyFrameThatIsNotAcknowledgedInTimeIsLost() {
        var recovery = Self.recovery(2)
        // The acknowledgement of frame 1 arrived with frame 3, so it took two frames.
        recovery.acknowledge([1])
        recovery.note(number: 3, isKeyFrame: true, isIntra: true)
        for number in 4...6 as ClosedRange<UInt64> {
            #expect(recovery.next(isRefresh: true) != .keyFrame)
            recovery.note(number: number, isKeyFrame: false, isIntra: false)
        }
        #expect(recovery.next(isRefresh: true) == .forget(from: 6))
        recovery.note(number: 7, isKeyFrame: false, isIntra: false)
        #expect(recovery.next(isRefresh: true) == .keyFrame)
        // A repeated acknowledgement is not used as a measurement.
        recovery.note(number: 8, isKeyFrame: true, isIntra: true)
        recovery.acknowledge([8])
        for number in 9...13 as ClosedRange<UInt64> {
            recovery.note(number: number, isKeyFrame: false, isIntra: false)
        }
        recovery.acknowledge([8])
        recovery.note(number: 14, isKeyFrame: true, isIntra: true)
        for number in 15...18 as ClosedRange<UInt64> {
            recovery.note(number: number, isKeyFrame: false, isIntra: false)
        }
        #expect(recovery.next(isRefresh: true) == .keyFrame)
    }

    @Test func onlyADroppedFrameIsForgotten() {
        var recovery = Self.recovery(3)
        recovery.drop(3)
        #expect(recovery.next(isRefresh: false) == .forget(from: 3))
        #expect(recovery.note(number: 4, isKeyFrame: false, isIntra: false) == 2)
        #expect(recovery.next(isRefresh: false) == .nothing)
        // Together with a refresh the older frame counts.
        recovery.acknowledge([1])
        recovery.drop(4)
        #expect(recovery.next(isRefresh: true) == .forget(from: 2))
        #expect(recovery.note(number: 5, isKeyFrame: false, isIntra: false) == 1)
    }

    @Test func aDroppedKeyFrameIsFollowedByAnother() {
        var recovery = Self.recovery(0)
        recovery.drop(0)
        #expect(recovery.next(isRefresh: false) == .keyFrame)
        #expect(recovery.note(number: 1, isKeyFrame: true, isIntra: true) == nil)
        #expect(recovery.next(isRefresh: false) == .nothing)
    }

    @Test func framesThatAreNotAcknowledgedAreForgotten() {
        var recovery = Self.recovery(5)
        // An acknowledgement holds for all frames before it.
        recovery.acknowledge([3])
        #expect(recovery.next(isRefresh: true) == .forget(from: 4))
        // A second refresh has nothing new to forget.
        #expect(recovery.next(isRefresh: true) == .nothing)
    }

    @Test func aRefreshThatIsLostIsForgottenToo() {
        var recovery = Self.recovery(5)
        recovery.acknowledge([2])
        #expect(recovery.next(isRefresh: true) == .forget(from: 3))
        recovery.note(number: 6, isKeyFrame: false, isIntra: false)
        recovery.note(number: 7, isKeyFrame: false, isIntra: false)
        #expect(recovery.next(isRefresh: true) == .forget(from: 6))
        recovery.note(number: 8, isKeyFrame: false, isIntra: false)
        // Frame 8 refers to frame 2, and acknowledges none of the forgotten frames.
        recovery.acknowledge([8])
        #expect(recovery.next(isRefresh: true) == .nothing)
    }

    @Test func acknowledgementsOfForgottenFramesHaveNoEffect() {
        var recovery = Self.recovery(3)
        recovery.acknowledge([1])
        #expect(recovery.next(isRefresh: true) == .forget(from: 2))
        recovery.note(number: 4, isKeyFrame: false, isIntra: false)
        recovery.acknowledge([3])
        #expect(recovery.next(isRefresh: true) == .forget(from: 4))
    }

    @Test func anIntraFrameAcknowledgesOnlyItself() {
        var recovery = Self.recovery(2)
        recovery.note(number: 3, isKeyFrame: false, isIntra: true)
        recovery.acknowledge([3])
        // Frames before it are not acknowledged, and the next frame refers only to the newest one.
        #expect(recovery.next(isRefresh: true) == .nothing)
        #expect(recovery.note(number: 4, isKeyFrame: false, isIntra: false) == 3)
        #expect(recovery.next(isRefresh: true) == .forget(from: 4))
    }

    @Test func framesThatTheEncoderReleasedAreNotReferredTo() {
        var recovery = Self.recovery(3, capacity: 4)
        recovery.acknowledge([0])
        recovery.note(number: 4, isKeyFrame: false, isIntra: false)
        #expect(recovery.next(isRefresh: true) == .keyFrame)
        // The following key frame starts again.
        recovery.note(number: 5, isKeyFrame: true, isIntra: true)
        recovery.note(number: 6, isKeyFrame: false, isIntra: false)
        recovery.acknowledge([3, -1, 5, .max, .min])
        #expect(recovery.next(isRefresh: true) == .forget(from: 6))
    }
}
