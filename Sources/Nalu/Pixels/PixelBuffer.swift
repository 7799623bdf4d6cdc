/// A reference-counted frame: pixels in its own memory, in a pool's memory, or in planes of a lender.
///
/// Any thread may retain, release and read a buffer. A client that writes pixels must ensure that nobody reads them at
/// the same time.
public final class PixelBuffer {
    /// A function that is called once with its refcon when a wrapping buffer is freed, from any thread.
    public typealias ReleaseCallback = @convention(c) (_ releaseRefcon: UnsafeMutableRawPointer?) -> Void

    @safe
    private enum Owner {
        case buffer(PixelMemory)
        case pool(PixelMemoryStore, PixelMemory)
        case lender(ReleaseCallback?, UnsafeMutableRawPointer?)
        case swiftLender(@Sendable () -> Void)
    }

    /// The planes of the frame, valid as long as the buffer lives.
    public let view: PixelView
    private let owner: Owner

    /// Creates a buffer with its own memory: planes and rows aligned to 64 bytes, pixels undefined.
    ///
    /// Throws `.invalidSize` if width or height is not in 1...16384, `.invalidPixelFormat`, or `.allocationFailed`.
    public convenience init(format: PixelFormat, width: Int, height: Int) throws(NaluError) {
        try self.init(layout: try PixelLayout(format: format, width: width, height: height))
    }

    /// Creates a buffer with its own memory. Throws `.allocationFailed`.
    init(layout: PixelLayout) throws(NaluError) {
        let memory = try PixelMemory(byteCount: layout.byteCount)
        view = unsafe layout.view(at: memory.baseAddress)
        owner = .buffer(memory)
    }

    /// Creates a buffer with its own memory and a copy of the view's pixels.
    ///
    /// Throws `.allocationFailed`.
    public convenience init(copying view: PixelView) throws(NaluError) {
        try self.init(format: view.format, width: view.width, height: view.height)
        view.copyPixels(to: self.view)
    }

    /// Wraps planes without copying them. They must stay in place and unchanged until `release` is called with
    /// `refcon`. If `release` is nil, they must stay until the buffer is freed.
    public init(wrapping view: PixelView, release: ReleaseCallback?, refcon: UnsafeMutableRawPointer?) {
        self.view = view
        owner = unsafe .lender(release, refcon)
    }

    /// Wraps planes without copying them. They must stay in place and unchanged until `onRelease` is called, once,
    /// from any thread.
    public init(wrapping view: PixelView, onRelease: @escaping @Sendable () -> Void) {
        self.view = view
        owner = .swiftLender(onRelease)
    }

    init(layout: PixelLayout, memory: PixelMemory, from store: PixelMemoryStore) {
        view = unsafe layout.view(at: memory.baseAddress)
        owner = .pool(store, memory)
    }

    deinit {
        switch owner {
        case .buffer(let memory): unsafe memory.release()
        case .pool(let store, let memory): store.recycle(memory)
        case .lender(let release, let refcon): unsafe release?(refcon)
        case .swiftLender(let onRelease): onRelease()
        }
    }

    // MARK: Geometry

    public var format: PixelFormat { view.format }
    /// The width in pixels, 1...16384.
    public var width: Int { view.width }
    /// The height in pixels, 1...16384.
    public var height: Int { view.height }
    public var planeCount: Int { view.planeCount }

    /// Returns the samples in a row of a plane; 0 if there is no such plane.
    public func planeWidth(_ plane: Int) -> Int { view.planeWidth(plane) }

    /// Returns the rows of a plane; 0 if there is no such plane.
    public func planeHeight(_ plane: Int) -> Int { view.planeHeight(plane) }

    /// Returns the bytes from one row of a plane to the next; 0 if there is no such plane.
    public func planeStride(_ plane: Int) -> Int {
        (0..<planeCount).contains(plane) ? unsafe view.plane(plane).stride : 0
    }

    /// Returns the address of a plane's first row, valid as long as the buffer lives; nil if there is no such plane.
    public func planeBaseAddress(_ plane: Int) -> UnsafeMutableRawPointer? {
        unsafe (0..<planeCount).contains(plane) ? view.plane(plane).baseAddress : nil
    }

    /// Passes the bytes of a plane to `body`, from its first row to the end of its last row, without the padding after
    /// that. The bytes are empty if there is no such plane.
    public func withPlaneBytes<Result, Failure: Error>(
        _ plane: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let rows = planeHeight(plane)
        let count = rows == 0 ? 0 : planeStride(plane) * (rows - 1) + view.bytesPerRow(plane)
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: planeBaseAddress(plane), count: count)
        return try withExtendedLifetime(self) { () throws(Failure) -> Result in unsafe try body(bytes) }
    }
}

/// `@unchecked Sendable`: all stored properties are constant, pools have their own lock, and the header states that a
/// release callback may run on any thread. The contract above states who may access the pixels and when.
extension PixelBuffer: @unchecked Sendable {}
