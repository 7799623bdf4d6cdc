internal import Nalu
internal import NaluBase
internal import NaluMedia

/// Writes samples into a container.
final class ContainerSink: AudioSink {
    private let output: OutputFile
    private let container: OutputContainer
    private let track: TrackOptions
    private let repairsTimes: Bool
    private let startsAtZero: Bool
    private struct State {
        var writer: Writer?
        /// The index of the video track; nil before its first sample.
        var number: Int?
        /// The index of the audio track; nil without one.
        var audioNumber: Int?
        /// True if the writer has accepted a sample of the video.
        var hasSample = false
    }

    private let state = Guarded(State())

    /// - Parameters:
    ///   - output: the file, which must be open before the first sample.
    ///   - repairsTimes: true to repair the times of samples that come unchanged from a file.
    ///   - startsAtZero: true to shift all times so that the video begins at 0.
    init(
        _ output: OutputFile, _ container: OutputContainer, track: TrackOptions = TrackOptions(),
        repairsTimes: Bool = false, startsAtZero: Bool = false
    ) {
        self.startsAtZero = startsAtZero
        self.repairsTimes = repairsTimes
        self.output = output
        self.container = container
        self.track = track
    }

    func write(_ sample: Sample) throws -> Int {
        do {
            let (writer, number) = try opened(for: sample)
            try writer.write(sample, to: number)
            state.withLock { $0.hasSample = true }
        } catch {
            throw explained(error)
        }
        return unsafe sample.data.count
    }

    func addAudio(_ format: FormatDescription) throws {
        do {
            let number = try opened().addTrack(format)
            state.withLock { $0.audioNumber = number }
        } catch {
            throw explained(error)
        }
    }

    func writeAudio(_ sample: Sample) throws {
        let (writer, number) = state.withLock { ($0.writer, $0.audioNumber) }
        guard let writer, let number else { return }
        do { try writer.write(sample, to: number) } catch { throw explained(error) }
    }

    func finish() throws {
        do {
            guard let writer = state.withLock({ $0.hasSample ? $0.writer : nil }) else { return }
            defer { if writer.progress.isComplete { output.complete() } }
            try writer.finish()
        } catch {
            throw explained(error)
        }
    }

    /// Copies all tracks except the video, if the container can hold them. Returns their indices. To be called while
    /// the output is open, before the file's first sample is read.
    func pass(tracksOf file: MediaFile) throws -> Set<Int> {
        var passed: Set<Int> = []
        do {
            let writer = try opened()
            for track in file.otherTracks {
                do throws(NaluError) {
                    try writer.addTrack(track.index, of: file.reader)
                    passed.insert(track.index)
                } catch {
                    guard error.status == .unsupportedDataFormat else { throw error }
                }
            }
        } catch {
            throw explained(error)
        }
        return passed
    }

    /// Drops the samples of other tracks before `time`. To be called before the first sample.
    func beginOtherTracks(at time: MediaTime) {
        try? state.withLock { $0.writer }?.beginTracksFromReaders(at: time)
    }

    /// Drops the samples of other tracks from `time` on.
    func endOtherTracks(at time: MediaTime) {
        try? state.withLock { $0.writer }?.endTracksFromReaders(at: time)
    }

    /// The writer can refuse a frame that it accepted, when it knows the next ones.
    func corrected(_ counts: RunCounts) -> RunCounts {
        var counts = counts
        let progress = state.withLock { $0.writer }?.progress
        (counts.frames, counts.keyFrames) = (progress?.frames ?? 0, progress?.keyFrames ?? 0)
        return counts
    }

    /// Returns lines on changes that the writer made to the samples.
    func notes(on source: String) -> [String] {
        guard let counts = state.withLock({ $0.writer })?.counts else { return [] }
        var notes: [String] = []
        if counts.repairedDecodeTimes > 0 {
            notes.append(
                "\(NumberText.count(counts.repairedDecodeTimes, "decode time")) of \(source) corrected, which did not increase or were after the presentation time"
            )
        }
        if counts.movedPresentationTimes > 0 {
            notes.append(
                "\(NumberText.count(counts.movedPresentationTimes, "presentation time")) of \(source) moved later, because they did not increase"
            )
        }
        if counts.movedPackets > 0 {
            notes.append(
                "\(NumberText.count(counts.movedPackets, "time")) in other tracks of \(source) moved, which did not increase"
            )
        }
        if counts.leftOutPackets > 0 {
            notes.append(
                "\(NumberText.count(counts.leftOutPackets, "corrupt packet")) of other tracks of \(source) left out")
        }
        return notes
    }

    private func opened(for sample: Sample) throws(NaluError) -> (Writer, Int) {
        let writer = try opened()
        if let number = state.withLock({ $0.number }) { return (writer, number) }
        let number = try writer.addTrack(sample.formatDescription, options: track)
        state.withLock { $0.number = number }
        return (writer, number)
    }

    private func opened() throws(NaluError) -> Writer {
        if let writer = state.withLock({ $0.writer }) { return writer }
        var options = WriterOptions()
        options.isFragmented = container.isFragmented
        options.fastStart = container.fastStart
        if container.isFragmented { options.fragmentDuration = container.fragmentDuration }
        options.parameterSetsInBand = container.parameterSetsInBand
        options.repairsTimes = repairsTimes
        options.startAtZero = startsAtZero
        let made = try Writer(
            descriptor: output.openDescriptor, named: container.kind.rawValue, emptiesFile: output.passOldContent(),
            options: options)
        state.withLock { $0.writer = made }
        return made
    }

    private func explained(_ error: any Error) -> any Error {
        guard let error = error as? NaluError else { return error }
        guard error.status == .inputOutput else { return Failure("\(output.name): \(error.message)") }
        let writer = state.withLock { $0.writer }
        let remainder = output.remainder(hasFrames: writer?.keepsSamplesAfterFailure ?? false)
        return Failure("cannot write to \(output.name): \(error.message)\(remainder)", isOfOutput: true)
    }
}
