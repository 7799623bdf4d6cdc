internal import Nalu

/// Publishes samples and writes them to a file. The file has the samples that the network loses.
final class RecordingSink: AudioSink {
    private let publishing: PublishSink
    private let recording: any SampleSink

    init(_ publishing: PublishSink, recording: any SampleSink) {
        self.publishing = publishing
        self.recording = recording
    }

    func write(_ sample: Sample) throws -> Int {
        let count = try recording.write(sample)
        _ = try publishing.write(sample)
        return count
    }

    func addAudio(_ format: FormatDescription) throws {
        try (recording as? any AudioSink)?.addAudio(format)
        try publishing.addAudio(format)
    }

    func writeAudio(_ sample: Sample) throws {
        try (recording as? any AudioSink)?.writeAudio(sample)
        try publishing.writeAudio(sample)
    }

    /// Completes the file first, because a dead network makes the publisher wait.
    func finish() throws {
        try recording.finish()
        try publishing.finish()
    }
}
