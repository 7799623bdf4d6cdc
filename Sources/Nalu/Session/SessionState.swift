/// The state that the threads of one session share, guarded by its monitor.
struct SessionState: ThreadedSessionState {
    enum Phase {
        /// The encoder is not open yet.
        case configuring
        case encoding(OpenEncoder)
        case invalid
    }

    /// The values that are fixed once the encoder is open. A class, because every frame reads them.
    final class OpenEncoder: Sendable {
        let setup: EncoderSetup
        let rateControl: RateControl
        let reorderDepth: Int
        let entropyMode: SessionConfiguration.EntropyMode?
        let chromaLocation: Int
        /// The reason why frames may have no QP offsets; nil if they may.
        let reasonAgainstQPOffsets: String?
        let lastAnalysisStep: Int
        let recommendedParallelism: Int
        let keyFrameInterval: Int
        /// Ten times the level in the parameter sets.
        let level: Int
        let target: PictureTarget

        init(setup: EncoderSetup, rateControl: RateControl, encoder: any VideoEncoder, target: PictureTarget) {
            self.setup = setup
            self.rateControl = rateControl
            self.target = target
            reorderDepth = encoder.reorderDepth
            entropyMode = encoder.formatDescription.entropyMode
            level = encoder.formatDescription.sequence.levelIDC
            chromaLocation = encoder.formatDescription.sequence.chromaLocation ?? 0
            reasonAgainstQPOffsets = encoder.reasonAgainstQPOffsets
            lastAnalysisStep = encoder.lastAnalysisStep
            recommendedParallelism = encoder.recommendedParallelism
            keyFrameInterval = encoder.keyFrameInterval ?? KeyFramePolicy.automaticInterval
        }
    }

    /// The most frames between encode and the encoder: two wait, or are converted, while one is encoded.
    static let roomForFrames = 3
    /// The most frames between encode and the encoder if the callback passes them. The limit is higher, because the
    /// callback cannot wait.
    static let roomFromCallback = 4 * roomForFrames

    var phase = Phase.configuring
    var configuration = SessionConfiguration()
    var outputHandler: OutputHandler?
    var onFinish: (@Sendable () -> Void)?

    var queue = RingBuffer<QueuedFrame>(capacity: roomForFrames)
    var ledger = FrameLedger()
    /// The frames that are being passed, waiting, or being encoded.
    var occupied = 0
    /// The threads that wait for room.
    var waitingForRoom = 0
    /// The frames of the callback that were accepted while a thread waited for room.
    var overtaking = 0
    /// Whether a thread is in the intake: it has entered, and has not queued its frame yet.
    var intakeIsBusy = false
    var lastTime: MediaTime?
    /// The limits of the last frame.
    var limits = FrameLimits()
    /// The number of frames that the worker has removed from the queue.
    var taken: UInt64 = 0
    /// The lowest frame number that complete_frames does not wait for.
    var flushTarget: UInt64 = 0

    var worker: WorkerThread?
    var workerIsDone = false
    /// Whether the worker has found the queue empty, and waits.
    var workerIsIdle = false
    /// Incremented with each opening and closing: the worker of another number closes its encoder and ends.
    var opening = 0
    /// The number of workers that are closing an unused encoder.
    var closing = 0

    /// The passes; nil if frames are encoded once.
    var multiPass: MultiPass?
    var passRequest: PassRequest?
    var passAnswer: Result<Void, NaluError>?

    /// The session's own buffers that are free.
    var staging: [PixelBuffer] = []
    /// The pool, which is created on first use.
    var pool: PixelBufferPool?
    var effectiveParameters: String?
    var governorStep = 0
    var lastError = ""
    /// The statistics that the worker published last, without the counts of the ledger.
    var statistics = SessionStatistics()

    var isInvalid: Bool {
        if case .invalid = phase { true } else { false }
    }

    var hasWorker: Bool { worker != nil }

    mutating func invalidate() { phase = .invalid }

    var open: OpenEncoder? {
        if case .encoding(let open) = phase { open } else { nil }
    }

    /// True if the encoder is open and no frame, and no pass, depends on it yet.
    var isUnused: Bool {
        guard open != nil, ledger.accepted == 0, occupied == 0 else { return false }
        // A thread that begins a pass is in the intake.
        return multiPass.map { $0.isUntouched && !intakeIsBusy && passRequest == nil } ?? true
    }

    /// Closes an unused encoder, so that the next one is opened with other properties. ``closing`` decreases when the
    /// encoder's memory is free.
    mutating func closeUnused() {
        phase = .configuring
        worker = nil
        opening += 1
        closing += 1
        effectiveParameters = nil
        multiPass?.encoderIsFresh = false
        // The next encoder may have another bit depth.
        staging = []
    }
}

/// A request of begin_pass or end_pass to the session's thread.
enum PassRequest {
    /// Open an encoder for the pass.
    case begin(EncoderPass, RatePlan)
    /// Deliver all frames and close the encoder, which then writes its statistics.
    case end
}
