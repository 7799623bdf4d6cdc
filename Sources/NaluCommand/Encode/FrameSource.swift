internal import Nalu

/// Frames with their times, in the order in which they are shown. One thread asks for them.
protocol FrameSource: Sendable {
    /// For sentences.
    var name: String { get }
    var facts: VideoFacts { get }
    var orientation: Orientation { get }
    /// Frames a second, for people.
    var frameRate: FrameRate { get }
    /// How many frames will come, where that is known. From ``begin()`` on.
    var total: Int? { get }

    /// Starts to read.
    func begin() throws
    /// The next frame; nil at the end. Throws what ended the reading or is missing, after the last frame that there is.
    func next() throws -> TimedFrame?
    /// From any thread: after what has been read already no frame comes any more, also where reading still waits for one.
    func stop()
}

/// A frame and when it is shown.
struct TimedFrame {
    enum Pixels {
        /// The session may keep it.
        case kept(PixelBuffer)
        /// The session must copy what it needs.
        case lent(SourceFrame)
    }

    let pixels: Pixels
    let time: MediaTime
    let duration: MediaTime
    /// nil: progressive, or the input does not say it of each frame.
    var fields: VideoFacts.FieldOrder?
}
