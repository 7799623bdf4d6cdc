internal import Nalu
internal import NaluBase
internal import NaluMedia

/// Encodes the audio of a capture for the track beside its video. Times begin with the first encoded picture.
final class CaptureAudio: Sendable {
    private struct Block {
        var samples: [Float]
        var time: MediaTime
    }

    private struct State {
        var encoder: AudioEncoder?
        var sink: (any AudioSink)?
        /// The capture time of the first encoded picture.
        var origin: MediaTime?
        /// Blocks that arrived before the first picture was encoded.
        var waiting: [Block] = []
        /// The audio frames that were encoded.
        var frameCount = 0
        /// The end of the last encoded block, after the first picture.
        var end: MediaTime?
        /// The frames of silence for the time in which the process stood still.
        var pausedFrames = 0
    }

    /// The identifier of the device.
    let device: String
    private let duration: Double?
    private let state = Guarded(State())
    /// The most seconds of audio that wait for the first picture, which arrives at most this much later.
    private static let mostWaitingSeconds = 2.0
    /// The longest gap in seconds that the encoder fills. It refuses gaps of more than 10 s.
    private static let longestGap = 5.0

    /// - Parameter duration: the seconds after which no audio is encoded; nil for no limit.
    init(device: String, duration: Double?) {
        self.device = device
        self.duration = duration
    }

    /// Adds the track to the sink. Call it before the first sample.
    func begin(_ format: CaptureAudioFormat, _ sink: any AudioSink) throws {
        let encoder = try AudioEncoder(sampleRate: format.sampleRate, channelCount: format.channelCount)
        try sink.addAudio(encoder.formatDescription)
        state.withLock { state in
            state.encoder = encoder
            state.sink = sink
        }
    }

    /// Makes the capture time of the first encoded picture time 0 of the track.
    func start(at time: MediaTime) {
        state.withLock { $0.origin = time }
    }

    /// Encodes a block, on the audio thread of the capture session.
    func take(_ block: CaptureSession.AudioBlock) throws {
        let ready = state.withLock { state -> (AudioEncoder, any AudioSink, MediaTime, [Block])? in
            guard let encoder = state.encoder, let sink = state.sink, let origin = state.origin else {
                unsafe state.waiting.append(Block(samples: Array(block.samples), time: block.time))
                let oldest = block.time.seconds - Self.mostWaitingSeconds
                state.waiting.removeAll { $0.time.seconds < oldest }
                return nil
            }
            defer { state.waiting = [] }
            return (encoder, sink, origin, state.waiting)
        }
        guard let (encoder, sink, origin, waiting) = ready else { return }
        for earlier in waiting {
            try encode(earlier.samples.span, at: earlier.time - origin, block, encoder)
        }
        try unsafe encode(block.samples.span, at: block.time - origin, block, encoder)
        try write(encoder, sink)
    }

    /// Encodes the part of a block that lies within the video.
    ///
    /// - Parameter time: the time of the first audio frame after the first picture.
    private func encode(
        _ samples: Span<Float>, at time: MediaTime, _ block: CaptureSession.AudioBlock, _ encoder: AudioEncoder
    ) throws(NaluError) {
        let rate = Double(block.sampleRate)
        let count = samples.count / block.channelCount
        let early = min(count, max(0, Int((-time.seconds * rate).rounded(.up))))
        let end = duration.map { min(count, max(0, Int((($0 - time.seconds) * rate).rounded()))) } ?? count
        guard early < end else { return }
        let start = time + MediaTime(value: Int64(early), timescale: Int32(clamping: block.sampleRate))
        try fillPause(until: start, block, encoder)
        try encoder.encode(
            samples.extracting(early * block.channelCount..<end * block.channelCount),
            time: start.converted(toTimescale: 1_000_000_000))
        state.withLock { state in
            state.frameCount += end - early
            state.end = start + MediaTime(value: Int64(end - early), timescale: Int32(clamping: block.sampleRate))
        }
    }

    /// Encodes silence if no block has arrived for long, because the process or the machine stood still.
    private func fillPause(
        until start: MediaTime, _ block: CaptureSession.AudioBlock, _ encoder: AudioEncoder
    ) throws(NaluError) {
        guard var end = state.withLock({ $0.end }), (start - end).seconds > Self.longestGap else { return }
        let silence = [Float](repeating: 0, count: block.sampleRate * block.channelCount)
        while (start - end).seconds > Self.longestGap {
            try encoder.encode(silence.span, time: end.converted(toTimescale: 1_000_000_000))
            end = end + MediaTime(value: 1, timescale: 1)
            state.withLock { $0.pausedFrames += block.sampleRate }
        }
    }

    private func write(_ encoder: AudioEncoder, _ sink: any AudioSink) throws {
        while let sample = encoder.nextSample() { try sink.writeAudio(sample) }
    }

    /// Writes the rest of the audio. Call it after the capture session has stopped.
    func finish() throws {
        let (encoder, sink) = state.withLock { ($0.encoder, $0.sink) }
        guard let encoder, let sink else { return }
        try encoder.finish()
        try write(encoder, sink)
    }

    /// The seconds of audio that were encoded.
    var seconds: Double {
        state.withLock { state in
            state.encoder?.formatDescription.audio.map { Double(state.frameCount) / Double($0.sampleRate) } ?? 0
        }
    }

    /// The line of the summary.
    func summary(lost: UInt64) -> String {
        guard let encoder = state.withLock({ $0.encoder }), let format = encoder.formatDescription.audio else {
            return ""
        }
        let counts = encoder.counts
        var text =
            "audio: \(NumberText.decimal(seconds, places: 2)) s of \(format.sampleRate) Hz, "
            + "\(NumberText.count(format.channelCount, "channel")) from \(device)"
        if lost > 0 { text += "; \(NumberText.count(Int(clamping: lost), "audio frame")) lost" }
        let silence = Int(clamping: counts.insertedFrames) + state.withLock { $0.pausedFrames }
        if silence > 0 { text += "; \(NumberText.count(silence, "frame")) of silence" }
        return text
    }
}
