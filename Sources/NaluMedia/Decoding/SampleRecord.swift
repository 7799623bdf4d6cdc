internal import Nalu
internal import NaluBase

/// What is kept of a sample until its callback.
@safe
struct SampleRecord {
    /// Counts the samples that the session accepted.
    let number: UInt64
    let flags: DecompressionSession.DecodeFlags
    let refcon: UnsafeMutableRawPointer?
    private(set) var presentationTime: MediaTime
    private(set) var duration: MediaTime
    /// The picture's place in output order, by the bitstream; nil if no slice can be read. `order` counts within one
    /// `count`.
    var place: (count: UInt64, order: Int)?
    /// Counts key frames: pictures of one sequence all come before those of the next.
    var sequence: UInt64 = 0
    /// Whether other pictures may refer to this one.
    var isReference = true
    /// It refers to something that was lost or damaged.
    var isTainted = false
    /// Of H.264: presented before the recovery point that decoding began with, so that it is decoded and never shown.
    var isLeading = false
    /// Of H.264 frames with two fields: what their timing says; nil where it says nothing.
    var isTopFieldFirst: Bool?
    /// What the decoder said of it.
    var failure: NaluError?
    /// The decoder's lack of memory while it had the sample, which explains a missing picture.
    var lack: NaluError?

    init(
        number: UInt64, flags: DecompressionSession.DecodeFlags, refcon: UnsafeMutableRawPointer?,
        presentationTime: MediaTime,
        duration: MediaTime
    ) {
        self.number = number
        self.flags = flags
        unsafe self.refcon = unsafe refcon
        self.presentationTime = presentationTime
        self.duration = duration
    }

    /// What every call for the sample says.
    var info: DecompressionSession.InfoFlags { flags.contains(.asynchronous) ? .asynchronous : [] }

    /// - Parameter byOrder: whether the bitstream decides, because the times contradict it.
    func isPresented(before other: SampleRecord, byOrder: Bool) -> Bool {
        guard byOrder, let place, let otherPlace = other.place else { return presentationTime < other.presentationTime }
        return (place.count, place.order) < (otherPlace.count, otherPlace.order)
    }

    /// Whether the times of two samples are the other way round than their pictures in output order.
    func contradicts(_ other: SampleRecord) -> Bool {
        guard let place, let otherPlace = other.place, place.count == otherPlace.count, place.order != otherPlace.order,
            presentationTime != other.presentationTime
        else { return false }
        return (place.order < otherPlace.order) != (presentationTime < other.presentationTime)
    }

    mutating func swapTimes(with other: inout SampleRecord) {
        swap(&presentationTime, &other.presentationTime)
        swap(&duration, &other.duration)
    }
}

/// A sample that waits for the decoder.
struct QueuedSample {
    let record: SampleRecord
    let sample: Sample
}
