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
        container = Self.recorded(options.container(of: path))
        main = try OutputFile(
            path: path, replaces: options.force, input: nil, container: container, allowsAddress: true)
        recordingContainer = record.map { Self.recorded(options.container(of: $0)) }
        if let record, let recordingContainer {
            recording = try OutputFile(path: record, replaces: options.force, input: nil, container: recordingContainer)
        } else {
            recording = nil
        }
    }

    /// Returns the container with fragments of a second at most: key frames are up to 10 s apart, and the process can be
    /// killed.
    private static func recorded(_ container: OutputContainer) -> OutputContainer {
        var container = container
        container.fragmentDuration = 1
        return container
    }

    /// Whether the samples are sent to an address.
    var isLive: Bool { main.address != nil }

    /// The names of the outputs in messages.
    var name: String { recording.map { "\(main.name) and \($0.name)" } ?? main.name }

    /// The size of the file; nil unless there is a regular one.
    var fileSize: Int? { recording?.fileSize ?? main.fileSize }

    /// The end of an error message if the file was removed because it was not complete; nil otherwise.
    var loss: String? { recording?.loss ?? main.loss }

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
