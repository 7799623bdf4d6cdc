private import Synchronization

/// The counts for the progress line. Reading them never blocks.
protocol Counting: Sendable {
    var counts: RunCounts { get }
}

/// The counts of a run so far.
struct RunCounts {
    var frames: Int
    var keyFrames: Int
    /// Frames for which the session delivered no sample.
    var dropped: Int
    /// The size of the samples, without the container's own bytes.
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

/// The completed share of a run's work.
final class ShareCounter: Sendable {
    private let millionths = Atomic<Int>(0)

    /// 0 to 1.
    var share: Double {
        get { Double(millionths.load(ordering: .relaxed)) / 1_000_000 }
        set { millionths.store(Int(min(max(newValue, 0), 1) * 1_000_000), ordering: .relaxed) }
    }
}
