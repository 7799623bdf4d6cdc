private import Synchronization

/// What threads share about a reader without waiting.
final class ReaderSignals: Sendable {
    private let cancelled = Atomic<Bool>(false)
    private let state = Atomic<Int32>(ReaderStatus.unknown.rawValue)

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Work that is complete or has failed cannot be cancelled any more.
    func cancel() {
        if status != .completed && status != .failed {
            cancelled.store(true, ordering: .relaxed)
        }
    }

    /// Where the work stands.
    var status: ReaderStatus {
        get { isCancelled ? .cancelled : ReaderStatus(rawValue: state.load(ordering: .relaxed)) ?? .unknown }
        set { state.store(newValue.rawValue, ordering: .relaxed) }
    }
}

/// The state of a ``Reader``; AVAssetReader.Status, with its numbers.
public enum ReaderStatus: Int32, Sendable {
    /// Open; nothing read yet.
    case unknown = 0
    case reading = 1
    /// Every selected track is at its end.
    case completed = 2
    case failed = 3
    case cancelled = 4
}
