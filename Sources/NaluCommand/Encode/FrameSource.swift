internal import Nalu

/// A source of frames with their times, in display order. One thread calls ``next()``.
protocol FrameSource: Sendable {
    /// The source's name in error messages.
    var name: String { get }
    var facts: VideoFacts { get }
    var orientation: Orientation { get }
    /// Frames per second, for messages.
    var frameRate: RationalFrameRate { get }
    /// The number of frames, if it is known. Valid after ``begin()``.
    var total: Int? { get }

    /// Starts to read.
    func begin() throws
    /// Returns the next frame; nil at the end. Throws the error that ended the reading, or what is missing, after the
    /// last frame.
    func next() throws -> TimedFrame?
    /// Stops the source, from any thread, even while a read waits for data. Frames that are read already are still
    /// returned.
    func stop()
}

/// A frame with its presentation time.
struct TimedFrame {
    enum Pixels {
        /// A buffer that the session may keep.
        case kept(PixelBuffer)
        /// Pixels that the session must copy before it returns.
        case lent(SourceFrame)
    }

    let pixels: Pixels
    let time: MediaTime
    let duration: MediaTime
    /// The field order; nil if the frame is progressive or the input does not state the order for each frame.
    var fields: VideoFacts.FieldOrder?
    /// The signal of a decoded picture; nil for frames of Y4M and raw files, which have one signal.
    var signal: PictureSignal?
}
