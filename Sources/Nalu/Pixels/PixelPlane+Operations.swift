import CPixelKernels
import CYUV

// Operations on entire planes. The validation of a PixelView ensures that its numbers fit into 32 bits, so that no
// conversion here loses anything.

extension PixelPlane {
    private var bytes: UnsafeMutablePointer<UInt8> { unsafe baseAddress.assumingMemoryBound(to: UInt8.self) }
    private var step: Int32 { unsafe Int32(truncatingIfNeeded: stride) }

    /// Copies `width` bytes of `height` rows. Source and destination may be the same plane.
    func copy(to destination: PixelPlane, width: Int, height: Int) {
        unsafe CopyPlane(bytes, step, destination.bytes, destination.step, Int32(width), Int32(height))
    }

    /// Sets `width` bytes of `height` rows to `value`.
    func fill(_ value: UInt8, width: Int, height: Int) {
        unsafe SetPlane(bytes, step, Int32(width), Int32(height), UInt32(value))
    }

    /// Maps `width` bytes of `height` rows. Source and destination may be the same plane.
    func map(_ map: nalu_byte_map, to destination: PixelPlane, width: Int, height: Int, limit: Int32) {
        var job = unsafe nalu_map_job()
        unsafe job.source = unsafe UnsafePointer(bytes)
        unsafe job.source_stride = stride
        unsafe job.destination = destination.bytes
        unsafe job.destination_stride = destination.stride
        unsafe job.width = Int32(width)
        unsafe job.height = Int32(height)
        unsafe job.limit = limit
        unsafe job.map = map
        unsafe nalu_map_plane(&job)
    }

    /// Separates `width` pairs of `height` rows into two planes.
    func split(to first: PixelPlane, _ second: PixelPlane, width: Int, height: Int) {
        unsafe SplitUVPlane(
            bytes, step, first.bytes, first.step, second.bytes, second.step, Int32(width), Int32(height))
    }

    /// Interleaves `width` bytes of `height` rows of two planes into pairs.
    func merge(_ first: PixelPlane, _ second: PixelPlane, width: Int, height: Int) {
        unsafe MergeUVPlane(
            first.bytes, first.step, second.bytes, second.step, bytes, step, Int32(width), Int32(height))
    }

    /// Resizes a plane: averages for exact halves, interpolates between two neighbours otherwise. No side may shrink to
    /// less than half.
    func resize(
        width: Int, height: Int, to destination: PixelPlane, width newWidth: Int, height newHeight: Int,
        bytesPerSample: Int = 1
    ) {
        if bytesPerSample == 2 {
            unsafe resizeWords(width: width, height: height, to: destination, width: newWidth, height: newHeight)
            return
        }
        unsafe ScalePlane(
            bytes, step, Int32(width), Int32(height), destination.bytes, destination.step, Int32(newWidth),
            Int32(newHeight), kFilterBox)
    }

    /// Shrinks bytes, or words of up to 1023, by averaging areas. `sums` is scratch memory for `width` 32-bit numbers.
    func shrink(
        width: Int, height: Int, to destination: PixelPlane, width newWidth: Int, height newHeight: Int,
        sums: UnsafeMutableRawPointer, bytesPerSample: Int = 1, limit: Int32
    ) {
        var job = unsafe nalu_shrink_job()
        unsafe job.source = unsafe UnsafePointer(bytes)
        unsafe job.source_stride = stride
        unsafe job.source_width = Int32(width)
        unsafe job.source_height = Int32(height)
        unsafe job.destination = destination.bytes
        unsafe job.destination_stride = destination.stride
        unsafe job.width = Int32(newWidth)
        unsafe job.height = Int32(newHeight)
        unsafe job.sums = unsafe sums.bindMemory(to: UInt32.self, capacity: width)
        unsafe job.limit = limit
        unsafe job.bytes_per_sample = Int32(bytesPerSample)
        unsafe nalu_shrink_plane(&job)
    }

    /// Separates `width` pixels of `height` rows, of three or four bytes each, into one plane per byte.
    func splitPixels(
        to planes: (PixelPlane, PixelPlane, PixelPlane, PixelPlane), width: Int, height: Int, bytes count: Int
    ) {
        if count == 3 {
            unsafe SplitRGBPlane(
                bytes, step, planes.0.bytes, planes.0.step, planes.1.bytes, planes.1.step, planes.2.bytes,
                planes.2.step,
                Int32(width), Int32(height))
        } else {
            // libyuv's R, G, B, A are bytes 2, 1, 0, 3.
            unsafe SplitARGBPlane(
                bytes, step, planes.2.bytes, planes.2.step, planes.1.bytes, planes.1.step, planes.0.bytes,
                planes.0.step,
                planes.3.bytes, planes.3.step, Int32(width), Int32(height))
        }
    }

    /// Interleaves `width` bytes of `height` rows of three planes into pixels of three bytes.
    func mergePixels(_ planes: (PixelPlane, PixelPlane, PixelPlane), width: Int, height: Int) {
        unsafe MergeRGBPlane(
            planes.0.bytes, planes.0.step, planes.1.bytes, planes.1.step, planes.2.bytes, planes.2.step, bytes, step,
            Int32(width), Int32(height))
    }

    /// Repeats the last sample of each of `height` rows up to `newWidth` samples, and the last row up to `newHeight`.
    func extendEdges(width: Int, height: Int, newWidth: Int, newHeight: Int, bytesPerSample: Int) {
        for row in 0..<(newWidth > width ? height : 0) {
            let start = unsafe baseAddress + row * stride
            for column in width..<newWidth {
                let target = unsafe start + column * bytesPerSample
                unsafe target.copyMemory(from: target - bytesPerSample, byteCount: bytesPerSample)
            }
        }
        for row in height..<max(height, newHeight) {
            let target = unsafe baseAddress + row * stride
            unsafe target.copyMemory(from: target - stride, byteCount: newWidth * bytesPerSample)
        }
    }
}

extension PixelView {
    /// The planes of a 4:2:0 view in the form of the kernels.
    var kernelPlanes: nalu_planes_420 {
        var planes = unsafe nalu_planes_420()
        unsafe planes.luma = unsafe plane(0).baseAddress.assumingMemoryBound(to: UInt8.self)
        unsafe planes.luma_stride = unsafe plane(0).stride
        unsafe planes.cb = unsafe plane(1).baseAddress.assumingMemoryBound(to: UInt8.self)
        unsafe planes.cb_stride = unsafe plane(1).stride
        if format.isPlanar420 {
            unsafe planes.cr = unsafe plane(2).baseAddress.assumingMemoryBound(to: UInt8.self)
            unsafe planes.cr_stride = unsafe plane(2).stride
        }
        return unsafe planes
    }

    /// Copies all pixels, of any format, to a frame of the same format and size.
    ///
    /// - Precondition: format, width and height are equal.
    package func copyPixels(to destination: PixelView) {
        precondition(
            format == destination.format && width == destination.width && height == destination.height,
            "PixelView.copyPixels: the frames differ in format or size")
        for index in 0..<planeCount {
            unsafe plane(index).copy(
                to: destination.plane(index), width: bytesPerRow(index), height: planeHeight(index))
        }
    }
}
