/// Creates buffers of one size and format, and reuses the memory of released buffers.
///
/// Any thread may use a pool. Buffers may outlive the pool; their memory is then freed with them. Unused memory is kept
/// for the next buffer until the pool is freed.
public final class PixelBufferPool: Sendable {
    /// The most buffers that may be alive at a time; 0 for no limit.
    public let maximumBufferCount: Int
    private let layout: PixelLayout
    private let store: PixelMemoryStore

    /// - Parameter maximumBufferCount: 1...4096, or 0 for no limit.
    ///
    /// Throws `.invalidSize` if width or height is not in 1...16384, `.invalidPixelFormat`, or `.outOfRange` for
    /// `maximumBufferCount`.
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
    /// The width in pixels, 1...16384.
    public var width: Int { layout.width }
    /// The height in pixels, 1...16384.
    public var height: Int { layout.height }

    /// Returns a buffer of the pool's size and format with undefined pixels.
    ///
    /// Throws `.wouldBlock` if ``maximumBufferCount`` buffers are alive, or `.allocationFailed`.
    public func makeBuffer() throws(NaluError) -> PixelBuffer {
        PixelBuffer(layout: layout, memory: try store.take(), from: store)
    }
}
