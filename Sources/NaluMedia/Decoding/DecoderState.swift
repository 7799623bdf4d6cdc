internal import Nalu
internal import NaluBase

/// The state that the threads of one session share; guarded by the session's monitor.
struct DecoderState: ThreadedSessionState {
    /// The most samples that wait for the decoder.
    static let room = 3
    /// The limit for samples that the callback sends. The callback cannot wait, so the limit is higher.
    static let roomFromCallback = 4 * room

    var isInvalid = false
    var handler: DecodeHandler?
    var onFinish: (@Sendable () -> Void)?

    var queue = RingBuffer<QueuedSample>(capacity: roomFromCallback)
    /// The number of the next accepted sample.
    var accepted: UInt64 = 0
    /// The number of the next sample that the worker takes.
    var taken: UInt64 = 0
    /// The worker has handled every sample below this number.
    var processed: UInt64 = 0
    /// The numbers of the samples whose callback has not returned, in decode order.
    var outstanding: [UInt64] = []
    /// The worker delivers every sample below this number without waiting for more samples.
    var flushTarget: UInt64 = 0

    var worker: WorkerThread?
    var workerIsDone = false
    var lastError = ""
    /// The last format description that the session accepted.
    var knownFormat: FormatDescription?

    var hasWorker: Bool { worker != nil }

    mutating func invalidate() { isInvalid = true }

    /// The lowest number whose callback has not returned; the next number if there is none.
    var oldest: UInt64 { outstanding.first ?? accepted }

    mutating func finish(_ number: UInt64) {
        if let index = outstanding.firstIndex(of: number) { outstanding.remove(at: index) }
    }
}
