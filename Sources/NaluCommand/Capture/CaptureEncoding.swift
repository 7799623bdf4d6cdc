internal import ArgumentParser
internal import Nalu
internal import NaluBase
private import NaluLibc
internal import NaluMedia

/// One run of `nalu capture`: captures and encodes until Ctrl-C, the end of the duration, or the end of the device.
final class CaptureEncoding: Sendable {
    struct State {
        /// The encoder; nil until it is ready.
        var encoder: CompressionSession?
        /// The last picture that arrived before the encoder was ready. A still screen delivers no other picture.
        var early: CaptureSession.Frame?
        /// The capture time of the first encoded picture.
        var first: MediaTime?
        /// The time at which the last picture arrived, or at which the encoder was ready, in nanoseconds.
        var lastArrival: Int64 = 0
        /// The time at which the encoder was ready, in nanoseconds.
        var begin: Int64 = 0
        /// The capture time after the last encoded picture.
        var end = MediaTime.invalid
        /// Pictures in the encoder: capture time and the time of handing in, in nanoseconds.
        var pending: [(captured: Int64, presentation: MediaTime, handedIn: Int64)] = []
        var encode = DelayMeter()
        var total = DelayMeter()
        /// The session while it starts, so that an interruption can end the start.
        var starting: CaptureSession?
        var isOver = false
        var failure: (any Error)?

        /// The duration of the encoded pictures, in seconds.
        var seconds: Double {
            guard let first, end.isNumeric else { return 0 }
            return (end - first).seconds
        }
    }

    let device: CaptureDevice
    let rate: RationalFrameRate
    let outputs: CaptureOutputs
    /// The audio; nil without one.
    let audio: CaptureAudio?
    let state = Guarded(State())
    /// Held while a picture is encoded, so that pictures of two threads keep their order.
    private let order = Guarded(())
    private let options: CaptureSession.Options
    private let permission: ScreenPermission?
    private let duration: Double?
    private let codec: CodecOptions.Codec
    /// The identifier of the encoder; nil for the usual one of the codec.
    private let encoderID: String?
    private let settings: CaptureSettings
    private let preview: CapturePreview?
    private let isQuiet: Bool
    /// The connection to an address; set before the session captures.
    private let publishing = Guarded<PublishSink?>(nil)
    /// Units per second of the times in the stream. Some players cannot read finer units.
    private static let timescale: Int32 = 1_000_000
    /// The nanoseconds without a picture after which the clock, and not the next picture, ends a run with a duration.
    private static let stillness: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - options: the options of the capture session. The audio of `options.audioDevice` is encoded too.
    ///   - encoder: the identifier of the encoder; nil for the usual one of the codec.
    ///   - asked: the encoder's settings.
    init(
        device: CaptureDevice, options: CaptureSession.Options, rate: RationalFrameRate, permission: ScreenPermission?,
        duration: Double?, outputs: CaptureOutputs, codec: CodecOptions.Codec, encoder: String?,
        asked: [(key: PropertyKey, value: PropertyValue?)], showsPreview: Bool, isQuiet: Bool
    ) {
        self.device = device
        self.options = options
        self.rate = rate
        self.permission = permission
        self.duration = duration
        self.outputs = outputs
        self.codec = codec
        encoderID = encoder
        settings = CaptureSettings(asked, isLive: outputs.isLive)
        preview = showsPreview ? CapturePreview(device: device.name) : nil
        self.isQuiet = isQuiet
        audio = options.audioDevice.map { CaptureAudio(device: $0.id, duration: duration) }
    }

    func run() throws {
        Interruption.ignoreBrokenPipes()
        try Interruption.watch { [self] in
            finish(nil)
            try? state.withLock { $0.starting }?.stop()
        }
        let (sink, publishing) = try outputs.connect(hasRate: settings.hasRate)
        self.publishing.withLock { $0 = publishing }
        let writer = StreamWriter(sink) { [self] in finish(nil) }
        let capture = try startCapture()
        do {
            try permission?.write(tokenOf: capture)
            let encoder = try makeEncoder(capture, writer)
            let window = try preview?.open(capture)
            try outputs.open()
            if let audio, let format = capture.audioFormat, let sink = sink as? any AudioSink {
                try audio.begin(format, sink)
            }
            start(encoder)
            let report = CaptureReport(self, capture, writer, publishing)
            wait(report, window)
            try capture.stop()
            var failure: (any Error)? = state.withLock { $0.failure }
            do { try encoder.complete() } catch { failure = failure ?? error }
            try? encoder.invalidate()
            // If the encoder failed, the file is complete up to that frame.
            if writer.failure?.isOfOutput != true {
                do {
                    try audio?.finish()
                    try sink.finish()
                } catch { failure = failure ?? error }
            }
            let fileSize = outputs.fileSize
            do { try outputs.close() } catch { failure = failure ?? error }
            try conclude(writer.failure ?? failure, report, writer.finalCounts, fileSize)
        } catch {
            try? capture.stop()
            if writer.counts.frames == 0 { outputs.discard() }
            throw error
        }
    }

    private func startCapture() throws -> CaptureSession {
        do throws(NaluError) {
            let encodeAudio: @Sendable (CaptureSession.AudioBlock) -> Void = { [self] in encode($0) }
            let capture = try CaptureSession(
                device: device, options: options, video: { [self] in encode($0) },
                audio: audio == nil ? nil : encodeAudio, end: { [self] in finish($0) })
            let isOver = state.withLock { state in
                state.starting = capture
                return state.isOver
            }
            if isOver { throw NaluError(.cancelled, "the capture was interrupted") }
            defer { state.withLock { $0.starting = nil } }
            try capture.start()
            return capture
        } catch {
            if let signal = Interruption.signal { throw ExitCode(Interruption.exitCode(signal)) }
            let isUsage = [.outOfRange, .invalidSize, .parameter, .invalidTime].contains(error.status)
            throw isUsage ? Failure.usage(error.message) : Failure("cannot capture \(device.id): \(error.message)")
        }
    }

    private func makeEncoder(_ capture: CaptureSession, _ writer: StreamWriter) throws -> CompressionSession {
        guard let format = capture.videoFormat else { throw Failure("\(device.id) has no pictures") }
        do {
            let encoder = try CompressionSession(
                width: format.widths.lowerBound, height: format.heights.lowerBound, codec: codec.code,
                encoderID: encoderID, sourceFormat: format.pixelFormat
            ) { [self] frame in
                measure(frame)
                writer.take(frame)
            }
            try encoder.set(settings.settings(for: format, rate))
            try encoder.prepare()
            return encoder
        } catch  where error.status == .invalidSize && (options.region != nil || options.width != nil) {
            throw Failure.usage(error.message)
        } catch {
            throw Failure(ofSettings: error)
        }
    }

    // MARK: Pictures

    /// Encodes a picture, on the thread of the capture session. While the encoder is busy the call waits, and later
    /// pictures are dropped.
    private func encode(_ frame: CaptureSession.Frame) {
        CallbackWaiting.allow()
        noteArrival()
        defer { noteArrival() }
        preview?.show(frame)
        order.withLock { _ in encodeInOrder(frame) }
    }

    /// Encodes the early picture, and makes later pictures use the encoder.
    private func start(_ encoder: CompressionSession) {
        order.withLock { _ in
            let early = state.withLock { state in
                state.encoder = encoder
                state.begin = MonotonicClock.nanoseconds
                state.lastArrival = state.begin
                defer { state.early = nil }
                return state.early
            }
            if let early { encodeInOrder(early) }
        }
    }

    private func encodeInOrder(_ frame: CaptureSession.Frame) {
        var frameOptions: FrameOptions? = FrameOptions()
        if let publishing = publishing.withLock({ $0 }), let encoder = state.withLock({ $0.encoder }) {
            do { frameOptions = try publishing.options(of: encoder) } catch { return finish(error) }
        }
        guard let frameOptions else { return }
        let next = state.withLock { state -> (CompressionSession, MediaTime)? in
            guard !state.isOver else { return nil }
            guard let encoder = state.encoder else {
                state.early = frame
                return nil
            }
            let first = state.first ?? frame.time
            if state.first == nil { audio?.start(at: first) }
            state.first = first
            let elapsed = frame.time.value - first.value
            // Half a frame duration absorbs the rounding of capture times to nanoseconds.
            if let duration, elapsed > 0, Double(elapsed) / 1e9 + 0.5 / rate.perSecond >= duration {
                state.isOver = true
                return nil
            }
            state.end = frame.duration.isNumeric ? frame.time + frame.duration : frame.time
            let time = MediaTime(value: elapsed / 1000, timescale: Self.timescale)
            state.pending.append((frame.time.value, time, MonotonicClock.nanoseconds))
            return (encoder, time)
        }
        // Wakes the main thread, which ends the run if the duration is over.
        guard let (encoder, time) = next else { return state.change { _ in } }
        do throws(NaluError) {
            let duration = frame.duration.converted(toTimescale: Self.timescale)
            unsafe try encoder.encode(frame.buffer, presentationTime: time, duration: duration, options: frameOptions)
        } catch {
            finish(error)
        }
    }

    private func noteArrival() {
        state.withLock { $0.lastArrival = MonotonicClock.nanoseconds }
    }

    /// Ends the run if its duration is over and no picture arrives: the device delivers none while a screen is still.
    private func endStillRun() {
        guard let duration else { return }
        let now = MonotonicClock.nanoseconds
        let (isDue, isEmpty) = state.withLock { state in
            let elapsed = now - (state.first?.value ?? state.begin)
            return (now - state.lastArrival >= Self.stillness && Double(elapsed) / 1e9 >= duration, state.first == nil)
        }
        if isDue { finish(isEmpty ? Failure("\(device.id) had no picture in \(duration) s") : nil) }
    }

    /// Encodes a block, on the audio thread of the capture session.
    private func encode(_ block: CaptureSession.AudioBlock) {
        do { try audio?.take(block) } catch { finish(error) }
    }

    private func measure(_ frame: EncodedFrame) {
        let now = MonotonicClock.nanoseconds
        guard let sample = frame.sample else { return }
        state.withLock { state in
            let time = sample.presentationTime
            guard let index = state.pending.firstIndex(where: { $0.presentation == time }) else { return }
            state.total.add(from: state.pending[index].captured, to: now)
            state.encode.add(from: state.pending[index].handedIn, to: now)
            state.pending.removeSubrange(...index)
        }
    }

    private func finish(_ error: (any Error)?) {
        state.change { state in
            state.isOver = true
            if state.failure == nil { state.failure = error }
        }
        preview?.wake()
    }

    /// Draws the status line and the preview until the run ends.
    private func wait(_ report: CaptureReport, _ window: PictureWindow?) {
        let showsLine = !isQuiet && isatty(STDERR_FILENO) == 1
        while true {
            if let window {
                if CapturePreview.isClosed(window, within: 200, orIf: { state.withLock { $0.isOver } }) { break }
            } else {
                let isOver: Void? = state.wait(milliseconds: 200) { $0.isOver ? () : nil }
                if isOver != nil { break }
            }
            endStillRun()
            if showsLine { _ = Console.write("\r\(report.line)\u{1b}[K", to: STDERR_FILENO) }
        }
        if showsLine { _ = Console.write("\r\u{1b}[K", to: STDERR_FILENO) }
    }

    // MARK: The end

    private func conclude(
        _ failure: (any Error)?, _ report: CaptureReport, _ counts: RunCounts, _ fileSize: Int?
    ) throws {
        if counts.frames == 0 { outputs.discard() }
        let end = RunEnd(output: outputs.name, loss: outputs.loss, frames: counts.frames, isQuiet: isQuiet)
        if end.hasSummary(failure) { Console.error(report.summary(fileSize)) }
        try end.conclude(failure)
    }
}
