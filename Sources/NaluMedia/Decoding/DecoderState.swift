internal import Nalu
internal import NaluBase

/// What the threads of one session share; guarded by its monitor.
struct DecoderState: ThreadedSessionState {
    /// Samples that wait for the decoder.
    static let room = 3
    /// From inside the callback nobody can wait, so that much is taken beyond the room.
    static let roomFromCallback = 4 * room

    var isInvalid = false
    var handler: DecodeHandler?
    var onFinish: (@Sendable () -> Void)?

    var queue = RingBuffer<QueuedSample>(capacity: roomFromCallback)
    /// The number of the next sample.
    var accepted: UInt64 = 0
    /// The number of the next sample that the worker takes.
    var taken: UInt64 = 0
    /// The worker has done what can be done with every sample below this number.
    var processed: UInt64 = 0
    /// The numbers of the samples whose callback has not returned, in order.
    var outstanding: [UInt64] = []
    /// Every sample below this number is to come back.
    var flushTarget: UInt64 = 0

    var worker: WorkerThread?
    var workerIsDone = false
    var lastError = ""
    /// The last one that was found fit.
    var knownFormat: FormatDescription?

    var hasWorker: Bool { worker != nil }

    mutating func invalidate() { isInvalid = true }

    /// Every sample below this number has come back.
    var oldest: UInt64 { outstanding.first ?? accepted }

    mutating func comeBack(_ number: UInt64) {
        if let index = outstanding.firstIndex(of: number) { outstanding.remove(at: index) }
    }
}
