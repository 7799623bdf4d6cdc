internal import Nalu
internal import NaluBase

/// The facts of a sample that are kept until its callback.
@safe
struct SampleRecord {
    /// The index of the sample among those that the session accepted.
    let number: UInt64
    let flags: DecompressionSession.DecodeFlags
    let refcon: UnsafeMutableRawPointer?
    private(set) var presentationTime: MediaTime
    private(set) var duration: MediaTime
    /// The picture's place in output order according to the bitstream; nil if no slice can be read. `order` is
    /// comparable within one `count`.
    var place: (count: UInt64, order: Int)?
    /// The number of the last key frame. All pictures of one sequence precede those of the next in output order.
    var sequence: UInt64 = 0
    /// Whether other pictures may refer to this one.
    var isReference = true
    /// Whether the picture refers to a lost or damaged one.
    var isTainted = false
    /// Whether the picture precedes the recovery point at which decoding began, in presentation order. H.264 only: it
    /// is decoded and never displayed.
    var isLeading = false
    /// Whether the top field is first according to the timing message of an H.264 frame with two fields; nil if no
    /// message states it.
    var isTopFieldFirst: Bool?
    /// The decoder's error for the sample.
    var failure: NaluError?
    /// The decoder's lack of memory while it had the sample, which explains a missing picture.
    var lack: NaluError?

    init(
        number: UInt64, flags: DecompressionSession.DecodeFlags, refcon: UnsafeMutableRawPointer?,
        presentationTime: MediaTime, duration: MediaTime
    ) {
        self.number = number
        self.flags = flags
        unsafe self.refcon = unsafe refcon
        self.presentationTime = presentationTime
        self.duration = duration
    }

    /// The flags of every call for the sample.
    var info: DecompressionSession.InfoFlags { flags.contains(.asynchronous) ? .asynchronous : [] }

    /// Returns whether this sample is presented before `other`.
    ///
    /// - Parameter byOrder: whether the bitstream's order decides, because the times contradict it.
    func isPresented(before other: SampleRecord, byOrder: Bool) -> Bool {
        guard byOrder, let place, let otherPlace = other.place else { return presentationTime < other.presentationTime }
        return (place.count, place.order) < (otherPlace.count, otherPlace.order)
    }

    /// Returns whether the times of two samples contradict the output order of their pictures.
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
