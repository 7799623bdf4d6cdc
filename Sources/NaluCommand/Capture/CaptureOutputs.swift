internal import Nalu
internal import NaluMedia

/// The outputs of one run of `nalu capture`: a file, or an address and optionally a file beside it.
final class CaptureOutputs: Sendable {
    /// The output that the command line names first.
    let main: OutputFile
    private let container: OutputContainer
    private let recording: OutputFile?
    private let recordingContainer: OutputContainer?

    /// Checks the outputs without opening or changing anything.
    init(path: String, record: String?, _ options: OutputOptions) throws(Failure) {
        container = options.container(of: path)
        main = try OutputFile(
            path: path, replaces: options.force, input: nil, container: container, allowsAddress: true)
        recordingContainer = record.map(options.container(of:))
        if let record, let recordingContainer {
            recording = try OutputFile(path: record, replaces: options.force, input: nil, container: recordingContainer)
        } else {
            recording = nil
        }
    }

    /// Whether the samples are sent to an address.
    var isLive: Bool { main.address != nil }

    /// The names of the outputs in messages.
    var name: String { recording.map { "\(main.name) and \($0.name)" } ?? main.name }

    /// The size of the file; nil unless there is a regular one.
    var fileSize: Int? { recording?.fileSize ?? main.fileSize }

    /// Connects to the address, if there is one, and returns the sink of the samples and its publishing part.
    ///
    /// - Parameter hasRate: whether the session has a bit rate, which follows the link.
    func connect(hasRate: Bool) throws(Failure) -> (sink: any SampleSink, publishing: PublishSink?) {
        let file = recording ?? main
        let container = recordingContainer ?? container
        let fileSink: any SampleSink =
            [.h264, .hevc].contains(container.kind)
            ? AnnexBSink(file) : ContainerSink(file, container, startsAtZero: true)
        guard let publishing = try PublishSink(to: main, hasRate: hasRate, isRecorded: recording != nil) else {
            return (fileSink, nil)
        }
        return (recording == nil ? publishing : RecordingSink(publishing, recording: fileSink), publishing)
    }

    func open() throws(Failure) {
        try main.open()
        try recording?.open()
    }

    func close() throws(Failure) {
        try main.close()
        try recording?.close()
    }

    func discard() {
        main.discard()
        recording?.discard()
    }
}

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
