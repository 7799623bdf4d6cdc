#if Serve
    internal import Nalu
    internal import NaluBase
    private import NaluLibc
    internal import NaluMedia

    /// A source of frames in real time.
    protocol LiveFrames: AnyObject, Sendable {
        /// The name for people.
        var name: String { get }
        /// Frames per second; nil if unknown.
        var frameRate: Double? { get }
        /// The encoder's settings for the colours of the pictures. Valid from the first frame on.
        var signal: [(key: PropertyKey, value: PropertyValue?)] { get }

        /// Starts to deliver frames.
        ///
        /// - Parameters:
        ///   - frame: receives each frame with the host time of its capture in microseconds, one at a time.
        ///   - end: receives the reason if the source ends without ``stop()``.
        func start(
            frame: @escaping @Sendable (LivePixels, Int64) -> Void, end: @escaping @Sendable (any Error) -> Void) throws

        /// Stops. No call begins after this function returns.
        func stop()
    }

    /// The pixels of a live frame.
    enum LivePixels {
        /// A buffer that the encoder may keep.
        case kept(PixelBuffer)
        /// Pixels that are valid during the call only.
        case lent(SourceFrame)

        var size: (width: Int, height: Int) {
            switch self {
            case .kept(let buffer): (buffer.width, buffer.height)
            case .lent(let frame): (frame.view.width, frame.view.height)
            }
        }
    }
#endif
