/// Where a plane lies.
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

/// A frame in somebody else's memory: format, size and the place of each plane. Copying it copies no pixels and
/// allocates nothing.
///
/// A view does not keep its memory alive and does not know whether it may be written to; whoever makes one answers for
/// both, which is why the ways to make one take unsafe pointers. What a view does guarantee is that its numbers agree:
/// the format is known, width and height lie in 1...16384, each stride holds a row, and no plane spans 2 GiB or more.
@safe
public struct PixelView {
    /// Pixels, 1...16384.
    public let width: Int
    /// Pixels, 1...16384.
    public let height: Int

    private let plane0: PixelPlane
    private let plane1: PixelPlane
    private let plane2: PixelPlane

    /// The last one, so that no padding follows it: an enum keeps its case in a bit of such padding, and valgrind's memcheck
    /// takes a jump on that bit for one on the rest of the padding, which nobody initialises.
    public let format: PixelFormat

    /// For callers that have checked all of it. A plane that the format does not have repeats plane 0.
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

    /// The place of plane 0, 1 or 2.
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

    /// Samples in a row of a plane; 0 for a plane that is not there.
    public func planeWidth(_ plane: Int) -> Int { format.planeWidth(plane, ofWidth: width) }

    /// Rows of a plane; 0 for a plane that is not there.
    public func planeHeight(_ plane: Int) -> Int { format.planeHeight(plane, ofHeight: height) }

    /// The bytes that a row of a plane occupies, without padding; 0 for a plane that is not there.
    public func bytesPerRow(_ plane: Int) -> Int { format.minimumBytesPerRow(plane, ofWidth: width) }

    /// Every second row, from the first on (0) or from the second on (1), of a view of a multiple of 4 rows: then the
    /// chroma of 4:2:0 has as many rows as its field needs.
    func field(_ index: Int) -> PixelView {
        func rows(_ plane: PixelPlane) -> PixelPlane {
            unsafe PixelPlane(plane.baseAddress + index * plane.stride, plane.stride * 2)
        }
        return unsafe PixelView(
            unchecked: format, width: width, height: height / 2, rows(plane0), rows(plane1), rows(plane2))
    }

    /// The top left corner of a frame, `width` x `height` pixels, which must not exceed the view's own.
    func corner(width: Int, height: Int) -> PixelView {
        unsafe PixelView(unchecked: format, width: width, height: height, plane0, plane1, plane2)
    }
}

/// A view is numbers: handing one to another thread touches no pixel, and whoever reads or writes pixels answers for
/// the order in which that happens.
extension PixelView: @unchecked Sendable {}
