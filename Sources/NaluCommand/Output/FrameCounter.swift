private import Synchronization

/// What a progress line looks at while a run goes on. Never waits.
protocol Counting: Sendable {
    var counts: RunCounts { get }
}

/// What has been written so far.
struct RunCounts {
    var frames: Int
    var keyFrames: Int
    /// Frames that the session gave back without a sample.
    var dropped: Int
    /// Of the samples, without what a container adds.
    var bytes: Int
}

/// Counts frames.
final class FrameCounter: Counting {
    private let frames = Atomic<Int>(0)
    private let keyFrames = Atomic<Int>(0)
    private let dropped = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    var counts: RunCounts {
        RunCounts(
            frames: frames.load(ordering: .relaxed), keyFrames: keyFrames.load(ordering: .relaxed),
            dropped: dropped.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed))
    }

    func add(bytes count: Int, isKeyFrame: Bool = false) {
        bytes.wrappingAdd(count, ordering: .relaxed)
        frames.wrappingAdd(1, ordering: .relaxed)
        if isKeyFrame { keyFrames.wrappingAdd(1, ordering: .relaxed) }
    }

    func addDropped() {
        dropped.wrappingAdd(1, ordering: .relaxed)
    }
}
