internal import Nalu
internal import NaluMedia
private import Synchronization

/// Writes samples into a container.
final class ContainerSink: SampleSink {
    private let output: OutputFile
    private let form: OutputForm
    private let track: TrackOptions
    private let writer = Mutex<Writer?>(nil)

    /// - Parameter output: to be opened before the first sample.
    init(_ output: OutputFile, _ form: OutputForm, track: TrackOptions = TrackOptions()) {
        self.output = output
        self.form = form
        self.track = track
    }

    func write(_ sample: Sample) throws -> Int {
        do {
            try opened(for: sample).write(sample)
        } catch {
            throw explained(error)
        }
        return unsafe sample.data.count
    }

    func finish() throws {
        do {
            try writer.withLock { $0 }?.finish()
        } catch {
            throw explained(error)
        }
    }

    private func opened(for sample: Sample) throws(NaluError) -> Writer {
        if let writer = writer.withLock({ $0 }) { return writer }
        var options = WriterOptions()
        options.isFragmented = form.isFragmented
        options.fastStart = form.fastStart
        let made = try Writer(fileDescriptor: output.openDescriptor, container: form.container, options: options)
        try made.addTrack(sample.formatDescription, options: track)
        writer.withLock { $0 = made }
        return made
    }

    private func explained(_ error: any Error) -> any Error {
        guard let error = error as? NaluError else { return error }
        guard error.status == .inputOutput else { return Failure("\(output.name): \(error.message)") }
        let rest = form.needsSeeking ? "; without its end it cannot be played, which --fragmented avoids" : ""
        let reason = error.message.replacing("writing the output failed: ", with: "")
        return Failure("cannot write to \(output.name): \(reason)\(rest)")
    }
}
