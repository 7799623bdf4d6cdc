private import CX265

/// The chroma of a frame in two planes, which x265 needs. Chroma in one plane is separated into memory of its own.
@safe
final class ChromaPlanes {
    private let width: Int
    private let height: Int
    private let bytesPerSample: Int
    private let stride: Int
    private let memory: UnsafeMutableRawBufferPointer

    /// - Parameters:
    ///   - width: the columns of a plane.
    ///   - height: the rows of a plane.
    init(width: Int, height: Int, bytesPerSample: Int) {
        self.width = width
        self.height = height
        self.bytesPerSample = bytesPerSample
        stride = (width * bytesPerSample + 63) & ~63
        unsafe memory = .allocate(byteCount: 2 * stride * height + 64, alignment: 64)
    }

    deinit { unsafe memory.deallocate() }

    /// Returns the planes of the frame, which are valid until the next call.
    func planes(of pixels: PixelView) -> (PixelPlane, PixelPlane) {
        guard pixels.format.planeCount == 2, let start = unsafe memory.baseAddress else {
            return unsafe (pixels.plane(1), pixels.plane(2))
        }
        let pairs = unsafe pixels.plane(1)
        let planes = unsafe (PixelPlane(start, stride), PixelPlane(start + stride * height, stride))
        if bytesPerSample == 1 {
            unsafe pairs.split(to: planes.0, planes.1, width: width, height: height)
        } else {
            unsafe nalu_x265_split(
                pairs.baseAddress, pairs.stride, planes.0.baseAddress, planes.1.baseAddress, stride, Int32(width),
                Int32(height))
        }
        return unsafe planes
    }
}
