/// The counters and delays of a capture session since its last start. The corresponding C type is
/// `nalu_capture_statistics`.
public struct CaptureStatistics: Sendable {
    /// Pictures that arrived in the session: delivered, dropped or waiting.
    public var capturedFrames: UInt64 = 0
    /// Pictures whose handler has begun.
    public var deliveredFrames: UInt64 = 0
    /// Pictures that were dropped because a newer one arrived before their call.
    public var lateFrames: UInt64 = 0
    /// Pictures that were dropped because all buffers were in use.
    public var starvedFrames: UInt64 = 0
    /// Pictures that the device should have delivered by its frame rate, and did not.
    public var missedFrames: UInt64 = 0
    /// Audio frames that were delivered.
    public var audioFrames: UInt64 = 0
    /// Audio frames that were lost before the handler.
    public var lostAudioFrames: UInt64 = 0
    /// Pictures per second over the last 64 calls of the handler; NaN before the second call.
    public var frameRate = Double.nan
    /// The time from capture to the arrival in the session.
    public var capture = Delay()
    /// The time from the arrival to the handler.
    public var wait = Delay()
    /// The time in the video handler.
    public var handler = Delay()
    /// Pictures of a camera whose own time was not on the host clock, or not after that of the picture before.
    public var repairedTimes: UInt64 = 0

    /// Pictures that were dropped or missed before the handler.
    public var droppedFrames: UInt64 { lateFrames + starvedFrames + missedFrames }

    public init() {}
}
