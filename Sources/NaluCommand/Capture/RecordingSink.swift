internal import Nalu
internal import NaluBase
internal import NaluMedia

/// Publishes samples and writes them to a file. The file has the samples that the network loses. If the file cannot be
/// written any more, publishing continues, and ``finish()`` throws the reason.
final class RecordingSink: AudioSink {
    private let publishing: PublishSink
    private let recording: any SampleSink
    /// The first failure of the file, after which nothing more is written to it.
    private let failure = Guarded<(any Error)?>(nil)

    init(_ publishing: PublishSink, recording: any SampleSink) {
        self.publishing = publishing
        self.recording = recording
    }

    func write(_ sample: Sample) throws -> Int {
        record { _ = try recording.write(sample) }
        return try publishing.write(sample)
    }

    func addAudio(_ format: FormatDescription) throws {
        try (recording as? any AudioSink)?.addAudio(format)
        try publishing.addAudio(format)
    }

    func writeAudio(_ sample: Sample) throws {
        record { try (recording as? any AudioSink)?.writeAudio(sample) }
        try publishing.writeAudio(sample)
    }

    /// Completes the file first, because a dead network makes the publisher wait.
    func finish() throws {
        record { try recording.finish() }
        try publishing.finish()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// The counts of the file: nobody knows how many frames the receiver has kept.
    func corrected(_ counts: RunCounts) -> RunCounts { recording.corrected(counts) }

    /// Writes to the file, and reports its first failure at once: a broadcast can last for hours after it.
    private func record(_ body: () throws -> Void) {
        guard failure.withLock({ $0 == nil }) else { return }
        do {
            try body()
        } catch {
            let isFirst = failure.withLock { failure in
                defer { failure = failure ?? error }
                return failure == nil
            }
            let message = (error as? Failure)?.message ?? "\(error)"
            if isFirst { Console.error("nalu: \(message); publishing continues without it") }
        }
    }
}
