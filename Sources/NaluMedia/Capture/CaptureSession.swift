public import Nalu
internal import NaluBase

/// Captures pictures and audio from devices until it is stopped, as AVFoundation's `AVCaptureSession` does.
///
///     let session = try CaptureSession(device: device) { frame in
///         try? encoder.encode(frame.buffer, presentationTime: frame.time, duration: frame.duration)
///     }
///     try session.start()
///     ...
///     try session.stop()      // no handler begins after this
///
/// Any thread may call any function; different sessions share nothing. The video handler and the audio handler each run
/// on a thread of their own. While the video handler runs, at most one picture waits; a newer one replaces it.
public final class CaptureSession: Sendable {
    /// One captured picture.
    public struct Frame: Sendable {
        /// The picture. It may be kept; while all buffers of the session are in use, pictures are dropped.
        public let buffer: PixelBuffer
        /// The host time of capture, in units of 1 / 1,000,000,000 s.
        public let time: MediaTime
        /// The time to the next picture at the session's frame rate; invalid if the device has no fixed rate.
        public let duration: MediaTime
        /// The pictures that were dropped since the previous call.
        public let droppedFrames: Int
    }

    /// One block of captured audio, valid during the handler.
    @safe
    public struct AudioBlock {
        /// `frameCount * channelCount` interleaved samples, nominally -1 to 1. Valid during the handler.
        public let samples: UnsafeBufferPointer<Float>
        public let frameCount: Int
        /// The nominal audio frames per second; the device's clock may differ.
        public let sampleRate: Int
        public let channelCount: Int
        /// The host time at which the first audio frame was captured.
        public let time: MediaTime
        /// True if audio was lost before this block, and for the first block.
        public let isDiscontinuous: Bool
    }

    private struct State {
        /// The current run, or the last one.
        var run: CaptureRun?
        /// Whether the client has released the session.
        var isReleased = false
    }

    private let plan: CapturePlan
    private let handlers: CaptureHandlers
    private let spelling: Spelling
    private let monitor = Monitor(State())
    private let clientReferences = ClientReferences()

    /// Creates a session. The device is opened by ``start()``.
    ///
    /// - Parameters:
    ///   - device: the device of the pictures, and of the audio unless `options.audioDevice` is set.
    ///   - video: receives each picture; nil to capture none.
    ///   - audio: receives each block of audio; nil to capture none.
    ///   - end: receives the reason if capture ends without ``stop()``.
    ///
    /// Throws `.invalidSize`, `.invalidPixelFormat`, `.invalidTime` and `.outOfRange` for the options,
    /// `.pixelTransferNotSupported` if the pictures cannot be converted, and `.unsupportedDataFormat` for a handler of a
    /// medium that the device does not have.
    public convenience init(
        device: CaptureDevice, options: Options = Options(), video: (@Sendable (Frame) -> Void)? = nil,
        audio: (@Sendable (AudioBlock) -> Void)? = nil, end: (@Sendable (NaluError) -> Void)? = nil
    ) throws(NaluError) {
        try self.init(device: device, options: options, onFinish: nil, video: video, audio: audio, end: end)
    }

    /// Creates a session with a function that runs once, after the last call of a handler.
    package init(
        device: CaptureDevice, options: Options, onFinish: (@Sendable () -> Void)?,
        video: (@Sendable (Frame) -> Void)?, audio: (@Sendable (AudioBlock) -> Void)?,
        end: (@Sendable (NaluError) -> Void)?
    ) throws(NaluError) {
        plan = try CapturePlan(device, options, wantsVideo: video != nil, wantsAudio: audio != nil)
        spelling = options.spelling
        handlers = CaptureHandlers(video: video, audio: audio, end: end, onFinish: onFinish)
    }

    deinit {
        endForClient()
    }

    /// Notes a further reference of a client that counts references.
    package func retainedByClient() { clientReferences.retain() }

    /// Notes that the client released a reference. The last release ends the session.
    package func releasedByClient() {
        if clientReferences.release() { endForClient() }
    }

    private func endForClient() {
        // In a child of a fork the monitor throws, and nothing is called.
        let isFirst = try? monitor.locked { state in
            defer { state.isReleased = true }
            return !state.isReleased
        }
        guard isFirst == true else { return }
        if let run = lastRun { try? run.invalidate(isRelease: true, as: spelling.stopCapture) }
        handlers.removeOwner()
    }

    private var lastRun: CaptureRun? { (try? monitor.locked { $0.run }) ?? nil }

    // MARK: Starting and stopping

    /// Opens the devices and begins to capture. Waits for the devices, at most ``Options/startTimeout``.
    ///
    /// Throws `.outOfOrder` if the session is running; `.reentrant` in a handler; `.couldNotCreateInstance` if a library
    /// cannot be loaded; `.inputOutput` if a device cannot be opened, is gone, or delivers nothing in time; `.cancelled`
    /// if the session is stopped meanwhile.
    public func start() throws(NaluError) {
        if WorkerThread.currentSession == handlers.identity { throw reentrant(spelling.startCapture) }
        guard CallbackWaits.begin(for: handlers.identity) else { throw CallbackWaits.refusal }
        defer { CallbackWaits.end() }
        let setups = try plan.setups(restoreToken: restoreToken)
        let run = try CaptureRun(handlers, spelling)
        try monitor.locked { state throws(NaluError) in
            if let last = state.run, !last.isOver {
                throw NaluError(.outOfOrder, "the session is running; stop it with \(spelling.stopCapture) first")
            }
            state.run = run
        }
        try run.start(setups, timeout: plan.startTimeout)
    }

    /// Stops capturing. Waits for handlers in progress; none begins afterwards. The session can be started again.
    ///
    /// Throws `.reentrant` in a handler of the session, and then changes nothing.
    public func stop() throws(NaluError) {
        if WorkerThread.currentSession == handlers.identity { throw reentrant(spelling.stopCapture) }
        let run = try monitor.locked { $0.run }
        try run?.invalidate(isRelease: false, as: spelling.stopCapture)
    }

    /// Whether the session captures. False in a handler while another device of the session is still being opened, and as
    /// soon as another thread stops the session.
    public var isRunning: Bool { lastRun?.isRunning ?? false }

    private func reentrant(_ function: String) -> NaluError {
        NaluError(
            .reentrant,
            "\(function) was called from the session's callback, and would wait for that callback to return")
    }

    // MARK: Facts

    /// The format of delivered pictures; nil before the first start.
    public var videoFormat: CaptureVideoFormat? {
        guard let run = lastRun else { return nil }
        return (try? run.monitor.locked { $0.videoFormat }) ?? nil
    }

    /// The format of delivered audio; nil before the first start.
    public var audioFormat: CaptureAudioFormat? {
        guard let run = lastRun else { return nil }
        return (try? run.monitor.locked { $0.audioFormat }) ?? nil
    }

    /// The token with which a later session can capture the same screen without a question of the desktop; nil before the
    /// first start, without ``Options/restoreToken``, and if the desktop remembers nothing. A token serves once: each start
    /// returns a new one.
    public var restoreToken: String? {
        guard let run = lastRun else { return nil }
        let token = (try? run.monitor.locked { $0.restoreToken }) ?? nil
        return token == "" ? nil : token
    }

    /// The counters and delays since the last start.
    public var statistics: CaptureStatistics {
        guard let run = lastRun else { return CaptureStatistics() }
        return (try? run.monitor.locked { $0.meter.statistics }) ?? CaptureStatistics()
    }

    /// Throws `.invalidSession` in a child of the process that created the session.
    package func checkProcess() throws(NaluError) {
        try monitor.locked { _ in }
    }
}
