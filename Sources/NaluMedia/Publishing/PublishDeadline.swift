internal import NaluBase
private import Synchronization

/// The time limit of an operation that waits for the network. FFmpeg polls it in its interrupt callback, every 0.1 s.
final class PublishDeadline: Sendable {
    private let limit = Atomic<UInt64>(0)
    private let cancelled = Atomic(false)

    /// Sets the limit to `seconds` from now.
    func begin(_ seconds: Double) {
        limit.store((MonotonicClock.seconds + seconds).bitPattern, ordering: .relaxed)
    }

    /// Ends the operation in progress and all later ones.
    func cancel() { cancelled.store(true, ordering: .relaxed) }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    var isOver: Bool {
        isCancelled || MonotonicClock.seconds > Double(bitPattern: limit.load(ordering: .relaxed))
    }
}
