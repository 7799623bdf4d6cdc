/// What the threads of one session share; guarded by its monitor.
struct SessionState: ThreadedSessionState {
    enum Phase {
        /// The encoder is not open yet.
        case configuring
        case encoding(OpenEncoder)
        case invalid
    }

    /// What is fixed once the encoder is open. A class, because it is looked at for every frame.
    final class OpenEncoder: Sendable {
        let setup: EncoderSetup
        let rateControl: RateControl
        let reorderDepth: Int
        let entropyMode: SessionConfiguration.EntropyMode?
        let takesQPOffsets: Bool
        let lastAnalysisStep: Int
        let recommendedParallelism: Int
        let keyFrameInterval: Int
        let target: PictureTarget

        init(setup: EncoderSetup, rateControl: RateControl, encoder: any VideoEncoder, target: PictureTarget) {
            self.setup = setup
            self.rateControl = rateControl
            self.target = target
            reorderDepth = encoder.reorderDepth
            entropyMode = encoder.formatDescription.entropyMode
            takesQPOffsets = encoder.takesQPOffsets
            lastAnalysisStep = encoder.lastAnalysisStep
            recommendedParallelism = encoder.recommendedParallelism
            keyFrameInterval = encoder.keyFrameInterval ?? KeyFramePolicy.automaticInterval
        }
    }

    /// Frames between encode and the encoder: two wait, or are converted, while one is encoded.
    static let roomForFrames = 3
    /// From inside the callback nobody can wait, so that much is taken beyond the room.
    static let roomFromCallback = 4 * roomForFrames

    var phase = Phase.configuring
    var configuration = SessionConfiguration()
    var outputHandler: OutputHandler?
    var onFinish: (@Sendable () -> Void)?

    var queue = RingBuffer<QueuedFrame>(capacity: roomForFrames)
    var ledger = FrameLedger()
    /// Frames being handed in, waiting, or being encoded.
    var occupied = 0
    /// Threads that wait for room.
    var waitingForRoom = 0
    /// Frames from the callback that were accepted while a thread waited for room.
    var overtaking = 0
    /// A thread is between being let in and putting its frame into the queue.
    var intakeIsBusy = false
    var lastTime: MediaTime?
    /// Of the last frame.
    var limits = FrameLimits()
    /// Frames that the worker has taken out of the queue: the number of the next one.
    var taken: UInt64 = 0
    /// complete_frames wants every frame below this number back.
    var flushTarget: UInt64 = 0

    var worker: WorkerThread?
    var workerIsDone = false

    /// nil: frames are encoded once.
    var multiPass: MultiPass?
    var passRequest: PassRequest?
    var passAnswer: Result<Void, NaluError>?

    /// The session's own buffers that are free.
    var staging: [PixelBuffer] = []
    /// Made when it is first asked for.
    var pool: PixelBufferPool?
    var effectiveParameters: String?
    var governorStep = 0
    var lastError = ""
    /// As the worker last published them, without what the ledger knows.
    var statistics = SessionStatistics()

    var isInvalid: Bool {
        if case .invalid = phase { true } else { false }
    }

    var hasWorker: Bool { worker != nil }

    mutating func invalidate() { phase = .invalid }

    var open: OpenEncoder? {
        if case .encoding(let open) = phase { open } else { nil }
    }
}

/// What begin_pass and end_pass ask of the session's thread.
enum PassRequest {
    /// Open an encoder for the pass.
    case begin(EncoderPass, RatePlan)
    /// Bring all frames out and close the encoder, by which it writes what it has learned.
    case end
}
