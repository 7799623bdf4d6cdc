private import Synchronization

/// The state of a reader that threads share without waiting.
final class ReaderSignals: Sendable {
    private let cancelled = Atomic<Bool>(false)
    private let state = Atomic<Int32>(ReaderStatus.unknown.rawValue)

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Cancels the reader's work, unless it is complete or has failed.
    func cancel() {
        if status != .completed && status != .failed {
            cancelled.store(true, ordering: .relaxed)
        }
    }

    /// The status of the reader.
    var status: ReaderStatus {
        get { isCancelled ? .cancelled : ReaderStatus(rawValue: state.load(ordering: .relaxed)) ?? .unknown }
        set { state.store(newValue.rawValue, ordering: .relaxed) }
    }
}

/// The state of a ``Reader``, with the numbers of AVAssetReader.Status.
public enum ReaderStatus: Int32, Sendable {
    /// The reader is open, and nothing has been read.
    case unknown = 0
    case reading = 1
    /// Every selected track is at its end.
    case completed = 2
    case failed = 3
    case cancelled = 4
}
