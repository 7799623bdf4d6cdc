internal import Nalu

/// Takes decoded pictures in the order in which they are shown.
protocol FrameSink: AnyObject {
    func write(_ image: PixelBuffer, at time: MediaTime) throws
    /// Writes what comes at the end.
    func finish() throws
}
