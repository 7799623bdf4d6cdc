/// Hands out buffers of one size and format and takes their memory back when their last reference is gone.
///
/// Any thread may use it. It may go before its buffers do; what they hold is then freed with them. Memory that came
/// back is kept for the next buffer until the pool goes.
public final class PixelBufferPool: Sendable {
    /// The most buffers that may be alive at a time; 0: no limit.
    public let maximumBufferCount: Int
    private let layout: PixelLayout
    private let store: PixelMemoryStore

    /// - Parameter maximumBufferCount: 1...4096; 0: no limit.
    ///
    /// `.invalidSize`: width or height is not in 1...16384. `.invalidPixelFormat`. `.outOfRange`: `maximumBufferCount`.
    public init(format: PixelFormat, width: Int, height: Int, maximumBufferCount: Int = 0) throws(NaluError) {
        layout = try PixelLayout(format: format, width: width, height: height)
        guard (0...4096).contains(maximumBufferCount) else {
            throw NaluError(
                .outOfRange,
                "maximum_buffer_count is \(maximumBufferCount); expected 1 to 4096, or 0 for no limit")
        }
        self.maximumBufferCount = maximumBufferCount
        store = PixelMemoryStore(byteCount: layout.byteCount, limit: maximumBufferCount)
    }

    deinit {
        store.close()
    }

    public var format: PixelFormat { layout.format }
    /// Pixels, 1...16384.
    public var width: Int { layout.width }
    /// Pixels, 1...16384.
    public var height: Int { layout.height }

    /// A buffer of the pool's size and format; its pixels are undefined.
    ///
    /// `.wouldBlock`: ``maximumBufferCount`` buffers are alive. `.allocationFailed`.
    public func makeBuffer() throws(NaluError) -> PixelBuffer {
        PixelBuffer(layout: layout, memory: try store.take(), from: store)
    }
}
