internal import NaluBase

/// What is kept of a sample until its callback.
@safe
struct SampleRecord {
    /// Counts the samples that the session accepted.
    let number: UInt64
    let flags: DecodeFlags
    let refcon: UnsafeMutableRawPointer?
    let presentationTime: MediaTime
    let duration: MediaTime
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

    init(
        number: UInt64, flags: DecodeFlags, refcon: UnsafeMutableRawPointer?, presentationTime: MediaTime,
        duration: MediaTime
    ) {
        self.number = number
        self.flags = flags
        unsafe self.refcon = unsafe refcon
        self.presentationTime = presentationTime
        self.duration = duration
    }

    /// What every call for the sample says.
    var info: DecodeInfoFlags { flags.contains(.asynchronous) ? .asynchronous : [] }

    func isPresented(before other: SampleRecord) -> Bool {
        presentationTime < other.presentationTime
    }
}

/// A sample that waits for the decoder.
struct QueuedSample {
    let record: SampleRecord
    let sample: SampleObject
}
