internal import Nalu
internal import NaluBase
internal import NaluMedia

/// Publishes samples to an address, at the pace of their times.
final class PublishSink: AudioSink {
    private static let connectLimit = 15.0
    private static let finishLimit = 10.0
    private static let longestSleep = 50

    private struct State {
        /// The index of the video track; nil before its first sample.
        var number: Int?
        /// The index of the audio track; nil without one.
        var audioNumber: Int?
        /// The host time and the presentation time of the first frame, in seconds.
        var start: (clock: Double, frame: Double)?
    }

    private let publisher: Publisher
    private let state = Guarded(State())
    private let hasRate: Bool

    /// Connects. Throws if the first attempt fails; later failures cause new attempts. Returns nil if the output is no
    /// address.
    ///
    /// - Parameters:
    ///   - hasRate: whether the session has a bit rate, which follows the link.
    ///   - isRecorded: whether the samples are also written to a file, so that no frame may be skipped.
    init?(to output: OutputFile, hasRate: Bool, isRecorded: Bool = false) throws(Failure) {
        guard let url = output.address else { return nil }
        self.hasRate = hasRate
        var options = PublisherOptions()
        options.neverSkipsFrames = isRecorded
        do throws(NaluError) {
            publisher = try Publisher(url: url, options: options)
            try publisher.waitUntilConnected(timeout: Self.connectLimit)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Copies all tracks except the video, if the container can hold them. Returns their indices. Call it before the
    /// file's first sample is read.
    func pass(tracksOf file: MediaFile) throws -> Set<Int> {
        var passed: Set<Int> = []
        for track in file.otherTracks {
            do throws(NaluError) {
                try publisher.addTrack(track.index, of: file.reader)
                passed.insert(track.index)
            } catch {
                guard error.status == .unsupportedDataFormat else { throw Self.failure(error) }
            }
        }
        return passed
    }

    /// Waits until the frame's time has come, or a signal has arrived.
    func pace(_ time: MediaTime) {
        guard time.isNumeric else { return }
        let seconds = time.seconds
        let start = state.withLock { state in
            let start = state.start ?? (MonotonicClock.seconds, seconds)
            state.start = start
            return start
        }
        while Interruption.signal == nil {
            let rest = start.clock + seconds - start.frame - MonotonicClock.seconds
            guard rest > 0 else { return }
            _ = state.wait(milliseconds: min(Self.longestSleep, Int(rest * 1000) + 1)) { _ -> Bool? in nil }
        }
    }

    /// Returns the options of the next frame; nil if the frame must be skipped.
    func options(of session: CompressionSession) throws(Failure) -> FrameOptions? {
        let advice: PublisherAdvice
        do throws(NaluError) {
            advice = try publisher.prepareFrame(of: hasRate ? session : nil)
        } catch {
            throw Self.failure(error)
        }
        guard !advice.skipsFrame else { return nil }
        var options = FrameOptions()
        options.forceKeyFrame = advice.forceKeyFrame
        return options
    }

    func write(_ sample: Sample) throws -> Int {
        do throws(NaluError) {
            if state.withLock({ $0.number }) == nil {
                let number = try publisher.addTrack(sample.formatDescription)
                state.withLock { $0.number = number }
            }
            try publisher.write(sample, to: state.withLock { $0.number ?? 0 })
        } catch {
            throw Self.failure(error)
        }
        return unsafe sample.data.count
    }

    func addAudio(_ format: FormatDescription) throws {
        do throws(NaluError) {
            let number = try publisher.addTrack(format)
            state.withLock { $0.audioNumber = number }
        } catch {
            throw Self.failure(error)
        }
    }

    func writeAudio(_ sample: Sample) throws {
        guard let number = state.withLock({ $0.audioNumber }) else { return }
        do throws(NaluError) {
            try publisher.write(sample, to: number)
        } catch {
            throw Self.failure(error)
        }
    }

    func finish() throws {
        do throws(NaluError) {
            try publisher.finish(timeout: Self.finishLimit)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Marks failures of the network: nobody knows how many frames the receiver has kept.
    private static func failure(_ error: NaluError) -> Failure {
        Failure(error.message, isOfOutput: error.status == .inputOutput)
    }

    /// The parts of the status line on the connection.
    var status: [String] {
        let statistics = publisher.statistics
        var parts = [
            "queue \(NumberText.decimal(statistics.queueDelay * 1000, places: 0)) ms",
            "sent \(NumberText.scaled(statistics.throughput, unit: "b/s"))",
        ]
        if hasRate, statistics.bitRate > 0 {
            parts.insert("rate \(NumberText.scaled(Double(statistics.bitRate), unit: "b/s"))", at: 0)
        }
        if statistics.state != .connected { parts.insert("not connected", at: 0) }
        if let note { parts.append(note) }
        return parts
    }

    /// The text about reconnections, samples that were not sent and skipped frames; nil if there are none.
    var note: String? {
        let statistics = publisher.statistics
        var parts: [String] = []
        if statistics.reconnects > 0 { parts.append(NumberText.count(statistics.reconnects, "reconnection")) }
        if statistics.droppedSamples > 0 {
            parts.append("\(NumberText.count(statistics.droppedSamples, "sample")) not sent")
        }
        if statistics.skippedFrames > 0 {
            parts.append("\(NumberText.count(statistics.skippedFrames, "frame")) skipped for a slow link")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
