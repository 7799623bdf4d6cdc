internal import Nalu
internal import NaluBase

/// A sample that waits for the decoder.
struct WaitingSample {
    let sample: Sample
    let record: DisplayRecord
}

/// The facts of a sample that are kept while the decoder has it. Times are host times in nanoseconds.
struct DisplayRecord {
    let isImmediate: Bool
    let received: Int64
    var taken: Int64 = 0
}

/// A picture that waits for its time.
struct WaitingPicture {
    let picture: DisplayQueue.Picture
    let isImmediate: Bool
    /// The host time at which it was decoded, in nanoseconds.
    let decoded: Int64
}

/// The state that the threads of one queue share; guarded by the queue's monitor. The display thread waits for `work`,
/// the decoding thread for `room`, and clients for `progress`.
struct DisplayState: ThreadedSessionState {
    static let mostSteps = 128

    let sampleCapacity: Int
    let pictureCapacity: Int
    let prerollCount: Int

    var isInvalid = false
    var hasWorker = false
    var workerIsDone = false
    /// The threads that have not ended.
    var threads = 0

    var show: (@Sendable (DisplayQueue.Picture) -> Void)?
    var onEvent: (@Sendable (DisplayQueue.Event) -> Void)?
    var onFinish: (@Sendable () -> Void)?
    var onRequest: (@Sendable () -> Void)?

    var timebase = Timebase.hostClock
    /// The queue's observer of the timebase.
    var observer: UInt64 = 0
    /// The host time of the timeline's last change, in nanoseconds.
    var changed: Int64 = 0

    var samples: RingBuffer<WaitingSample>
    var pictures: RingBuffer<WaitingPicture>
    /// The samples that the decoder has, by their numbers.
    var records: [UInt64: DisplayRecord] = [:]
    /// The number of flushes. A picture of an earlier generation is dropped.
    var generation: UInt64 = 0
    var steps = 0
    var removesImage = false
    var isFinishing = false
    /// Whether the decoder has delivered every picture after ``DisplayQueue/finish()``.
    var isDrained = false
    var hasEnded = false
    /// The pictures that were decoded since the last flush, up to the number for pre-roll.
    var prerolled = 0
    /// The failure that has not been reported.
    var failure: Status?
    /// Whether the client's function for samples is to be called when there is room.
    var isRequestDue = false
    /// Whether something has changed since the display thread looked.
    var hasChanged = false

    var lastError = ""
    var counts = DisplayQueue.Statistics()
    var receive = DelayMeter()
    var decode = DelayMeter()
    var showing = DelayMeter()
    var lateness = DelayMeter()

    init(sampleCapacity: Int, pictureCapacity: Int, prerollCount: Int) {
        self.sampleCapacity = sampleCapacity
        self.pictureCapacity = pictureCapacity
        self.prerollCount = prerollCount
        samples = RingBuffer(capacity: sampleCapacity)
        pictures = RingBuffer(capacity: pictureCapacity + 32)
        records.reserveCapacity(64)
    }

    mutating func invalidate() { isInvalid = true }

    var hasRoom: Bool { samples.count < sampleCapacity }

    var statistics: DisplayQueue.Statistics {
        var all = counts
        all.waitingSamples = samples.count
        all.waitingPictures = pictures.count
        (all.receive, all.decode, all.show, all.lateness) =
            (receive.delay, decode.delay, showing.delay, lateness.delay)
        return all
    }

    /// Removes everything that waits, and returns it: the client's memory must be released outside the lock.
    mutating func empty() -> (RingBuffer<WaitingSample>, RingBuffer<WaitingPicture>) {
        defer {
            samples = RingBuffer(capacity: sampleCapacity)
            pictures = RingBuffer(capacity: pictureCapacity + 32)
        }
        return (samples, pictures)
    }
}
