/// A reference-counted frame: pixels in memory of its own, in memory of a pool, or in planes that somebody lent.
///
/// Any thread may retain, release and read it; who writes its pixels must see to it that nobody reads them at that
/// time.
public final class PixelBuffer {
    /// Called once with its refcon when a wrapping buffer is gone; from any thread.
    public typealias ReleaseCallback = @convention(c) (_ releaseRefcon: UnsafeMutableRawPointer?) -> Void

    @safe
    private enum Owner {
        case buffer(PixelMemory)
        case pool(PixelMemoryStore, PixelMemory)
        case lender(ReleaseCallback?, UnsafeMutableRawPointer?)
        case swiftLender(@Sendable () -> Void)
    }

    /// The frame's planes; they live as long as the buffer.
    public let view: PixelView
    private let owner: Owner

    /// A new buffer with memory of its own: planes and rows aligned to 64 bytes, pixels undefined.
    ///
    /// `.invalidSize`: width or height is not in 1...16384. `.invalidPixelFormat`. `.allocationFailed`.
    public convenience init(format: PixelFormat, width: Int, height: Int) throws(NaluError) {
        try self.init(layout: try PixelLayout(format: format, width: width, height: height))
    }

    /// With memory of its own. `.allocationFailed`.
    init(layout: PixelLayout) throws(NaluError) {
        let memory = try PixelMemory(byteCount: layout.byteCount)
        view = unsafe layout.view(at: memory.baseAddress)
        owner = .buffer(memory)
    }

    /// A new buffer with memory of its own and a copy of the view's pixels.
    ///
    /// `.allocationFailed`.
    public convenience init(copying view: PixelView) throws(NaluError) {
        try self.init(format: view.format, width: view.width, height: view.height)
        view.copyPixels(to: self.view)
    }

    /// Wraps planes without copying them. They must stay in place and unchanged until `release` is called with
    /// `refcon`; when it is nil, until the buffer is gone.
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
        case .pool(let store, let memory): store.giveBack(memory)
        case .lender(let release, let refcon): unsafe release?(refcon)
        case .swiftLender(let onRelease): onRelease()
        }
    }

    // MARK: Geometry

    public var format: PixelFormat { view.format }
    /// Pixels, 1...16384.
    public var width: Int { view.width }
    /// Pixels, 1...16384.
    public var height: Int { view.height }
    public var planeCount: Int { view.planeCount }

    /// Samples in a row of a plane; 0 for a plane that is not there.
    public func planeWidth(_ plane: Int) -> Int { view.planeWidth(plane) }

    /// Rows of a plane; 0 for a plane that is not there.
    public func planeHeight(_ plane: Int) -> Int { view.planeHeight(plane) }

    /// Bytes from one row of a plane to the next; 0 for a plane that is not there.
    public func planeStride(_ plane: Int) -> Int {
        (0..<planeCount).contains(plane) ? unsafe view.plane(plane).stride : 0
    }

    /// The first row of a plane, valid while the buffer lives; nil for a plane that is not there.
    public func planeBaseAddress(_ plane: Int) -> UnsafeMutableRawPointer? {
        unsafe (0..<planeCount).contains(plane) ? view.plane(plane).baseAddress : nil
    }

    /// Lends the bytes of a plane, from its first row to the end of its last one, without the padding after that. An
    /// empty buffer stands for a plane that is not there.
    public func withPlaneBytes<Result, Failure: Error>(
        _ plane: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let rows = planeHeight(plane)
        let count = rows == 0 ? 0 : planeStride(plane) * (rows - 1) + view.bytesPerRow(plane)
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: planeBaseAddress(plane), count: count)
        return try withExtendedLifetime(self) { () throws(Failure) -> Result in unsafe try body(bytes) }
    }
}

/// All stored properties are constant, pools lock for themselves, and the header says to C lenders that their callback
/// may come from any thread. Who may touch the pixels, and when, is the contract above.
extension PixelBuffer: @unchecked Sendable {}
