/// The location of a plane.
@unsafe
public struct PixelPlane {
    /// The first byte of the first row.
    public let baseAddress: UnsafeMutableRawPointer
    /// Bytes from one row to the next; positive, and at least the bytes of a row.
    public let stride: Int

    init(_ baseAddress: UnsafeMutableRawPointer, _ stride: Int) {
        unsafe self.baseAddress = baseAddress
        unsafe self.stride = stride
    }
}

/// A frame in memory that belongs to other code: format, size and location of each plane. Copying a view copies no
/// pixels and allocates nothing.
///
/// A view neither keeps its memory alive nor states whether it may be written to. The code that creates a view is
/// responsible for both, so the initializers take unsafe pointers. A view guarantees that its numbers agree. The format
/// is known, width and height lie in 1...16384, each stride holds a row, and no plane spans 2 GiB or more.
@safe
public struct PixelView {
    /// The width in pixels, 1...16384.
    public let width: Int
    /// The height in pixels, 1...16384.
    public let height: Int

    private let plane0: PixelPlane
    private let plane1: PixelPlane
    private let plane2: PixelPlane

    /// The last stored property, so that no padding follows it. An enum keeps its case in a bit of such padding. The
    /// memcheck tool of valgrind mistakes a jump on that bit for one on the uninitialised rest of the padding.
    public let format: PixelFormat

    /// Creates a view without checks, for callers that have checked every argument. A plane that the format does not have
    /// repeats plane 0.
    init(
        unchecked format: PixelFormat, width: Int, height: Int, _ plane0: PixelPlane, _ plane1: PixelPlane,
        _ plane2: PixelPlane
    ) {
        self.format = format
        self.width = width
        self.height = height
        unsafe self.plane0 = plane0
        unsafe self.plane1 = plane1
        unsafe self.plane2 = plane2
    }

    public var planeCount: Int { format.planeCount }

    /// The same memory as '420v' if it is '420f', to fill it with pixels whose range must not be converted.
    package var withoutRange: PixelView {
        guard format == .nv12FullRange else { return self }
        return unsafe PixelView(unchecked: .nv12, width: width, height: height, plane0, plane1, plane2)
    }

    /// Returns the location of plane 0, 1 or 2.
    ///
    /// - Precondition: `0..<planeCount` contains `plane`.
    public func plane(_ plane: Int) -> PixelPlane {
        precondition((0..<planeCount).contains(plane), "PixelView.plane: the format has no such plane")
        switch plane {
        case 0: return unsafe plane0
        case 1: return unsafe plane1
        default: return unsafe plane2
        }
    }

    /// Returns the samples in a row of a plane; 0 if there is no such plane.
    public func planeWidth(_ plane: Int) -> Int { format.planeWidth(plane, ofWidth: width) }

    /// Returns the rows of a plane; 0 if there is no such plane.
    public func planeHeight(_ plane: Int) -> Int { format.planeHeight(plane, ofHeight: height) }

    /// Returns the bytes of a plane's row without padding; 0 if there is no such plane.
    public func bytesPerRow(_ plane: Int) -> Int { format.minimumBytesPerRow(plane, ofWidth: width) }

    /// Returns every second row, from the first one on (0) or from the second one on (1). The view must have a multiple
    /// of 4 rows, so that the chroma of 4:2:0 has as many rows as its field needs.
    func field(_ index: Int) -> PixelView {
        func rows(_ plane: PixelPlane) -> PixelPlane {
            unsafe PixelPlane(plane.baseAddress + index * plane.stride, plane.stride * 2)
        }
        return unsafe PixelView(
            unchecked: format, width: width, height: height / 2, rows(plane0), rows(plane1), rows(plane2))
    }

    /// Returns the top left corner of a frame. `width` and `height` must not exceed the view's.
    func corner(width: Int, height: Int) -> PixelView {
        unsafe PixelView(unchecked: format, width: width, height: height, plane0, plane1, plane2)
    }
}

/// `@unchecked Sendable`: a view is only numbers. The code that reads or writes pixels is responsible for the order of
/// its accesses.
extension PixelView: @unchecked Sendable {}
