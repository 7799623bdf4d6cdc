internal import Nalu
internal import NaluBase

/// A picture that waits for the video callback.
struct WaitingFrame {
    let buffer: PixelBuffer
    /// The host times of capture and arrival, in nanoseconds.
    let time: Int64
    let arrival: Int64
    let duration: MediaTime
}

/// The state that the threads of one run share; guarded by the run's monitor.
struct CaptureState: ThreadedSessionState {
    /// Whether the run was stopped. Nothing is delivered after that.
    var isInvalid = false
    /// Whether a source has ended. Waiting pictures and audio are delivered, and then the run ends.
    var isEnding = false
    /// The reason for which the first source ended.
    var failure: NaluError?
    /// Sources that have not begun yet.
    var expectedBegins = 0
    /// A device that is open and has not delivered its first picture, for messages; nil if there is none.
    var silentDevice: String?
    var hasBegun = false
    /// Threads that have been started and have not ended.
    var liveThreads = 0
    var hasWorker = false
    var workerIsDone = false

    var videoFormat: CaptureVideoFormat?
    var audioFormat: CaptureAudioFormat?
    /// The token that the desktop has returned for the next start; nil or "" if there is none.
    var restoreToken: String?
    var frame: WaitingFrame?
    var audio: AudioQueue?
    var meter = CaptureMeter()

    /// Raised when the sources must end.
    let stopSignal: StopSignal
    /// Raised when the start is complete or has failed.
    let startSignal: StopSignal

    init(_ stopSignal: StopSignal, _ startSignal: StopSignal) {
        self.stopSignal = stopSignal
        self.startSignal = startSignal
    }

    mutating func invalidate() {
        isInvalid = true
        stopSignal.raise()
        startSignal.raise()
    }

    /// Notes the end of a source.
    mutating func end(_ error: NaluError?) {
        if failure == nil { failure = error }
        isEnding = true
        stopSignal.raise()
        startSignal.raise()
    }
}
