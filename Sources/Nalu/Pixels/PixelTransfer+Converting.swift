import CPixelKernels

extension PixelTransfer {
    /// Converts between frames of one size.
    func convert(_ source: PixelView, to destination: PixelView, matrix: ColorMatrix) {
        switch source.format.family {
        case .rgb:
            convertRGB(source, to: destination, matrix: matrix)
        case .packed422:
            convertPacked(source, to: destination)
        case .biplanarSource:
            reduce(source, to: destination)
        case .gray:
            changeRange(of: 0, source, to: destination)
            fillChroma(of: destination)
        case .biplanar420, .planar420, nil:
            changeRange(of: 0, source, to: destination)
            convertChroma(source, to: destination)
        }
    }

    /// Sets both chroma components to 128, which means no colour in either range.
    func fillChroma(of destination: PixelView) {
        for index in 1..<destination.planeCount {
            unsafe destination.plane(index).fill(
                128, width: destination.bytesPerRow(index), height: destination.planeHeight(index))
        }
    }

    /// Copies one plane to the plane with the same number, converted to the destination's range.
    func changeRange(of index: Int, _ source: PixelView, to destination: PixelView) {
        let map = RangeMap(fromFullRange: source.format.isFullRange, toFullRange: destination.format.isFullRange)
        let (width, height) = (destination.bytesPerRow(index), destination.planeHeight(index))
        if map == .keep {
            unsafe source.plane(index).copy(to: destination.plane(index), width: width, height: height)
        } else {
            unsafe source.plane(index).map(
                index == 0 ? map.luma : map.chroma, to: destination.plane(index), width: width, height: height,
                limit: limit)
        }
    }

    /// Converts all planes in place, from the given range to the destination's range.
    func changeRangeInPlace(_ destination: PixelView, fromFullRange: Bool) {
        let map = RangeMap(fromFullRange: fromFullRange, toFullRange: destination.format.isFullRange)
        guard map != .keep else { return }
        for index in 0..<destination.planeCount {
            unsafe destination.plane(index).map(
                index == 0 ? map.luma : map.chroma, to: destination.plane(index),
                width: destination.bytesPerRow(index), height: destination.planeHeight(index), limit: limit)
        }
    }

    private func convertChroma(_ source: PixelView, to destination: PixelView) {
        if source.planeCount == destination.planeCount {
            for index in 1..<destination.planeCount { changeRange(of: index, source, to: destination) }
            return
        }
        let (width, height) = (destination.planeWidth(1), destination.planeHeight(1))
        if source.format.isBiplanar420 {
            unsafe source.plane(1).split(to: destination.plane(1), destination.plane(2), width: width, height: height)
        } else {
            unsafe destination.plane(1).merge(source.plane(1), source.plane(2), width: width, height: height)
        }
        let map = RangeMap(fromFullRange: source.format.isFullRange, toFullRange: destination.format.isFullRange)
        guard map != .keep else { return }
        for index in 1..<destination.planeCount {
            unsafe destination.plane(index).map(
                map.chroma, to: destination.plane(index), width: destination.bytesPerRow(index), height: height,
                limit: limit)
        }
    }

    private func convertRGB(_ source: PixelView, to destination: PixelView, matrix: ColorMatrix) {
        var job = unsafe nalu_rgb_job()
        unsafe job.source = unsafe UnsafePointer(source.plane(0).baseAddress.assumingMemoryBound(to: UInt8.self))
        unsafe job.source_stride = unsafe source.plane(0).stride
        unsafe job.width = Int32(source.width)
        unsafe job.height = Int32(source.height)
        unsafe job.bytes_per_pixel = Int32(source.format.bytesPerPixel)
        unsafe job.limit = limit
        unsafe job.weights = RGBWeights.make(matrix, source: source.format, isFullRange: destination.format.isFullRange)
        unsafe job.destination = destination.kernelPlanes
        unsafe nalu_rgb_to_420(&job)
    }

    private func convertPacked(_ source: PixelView, to destination: PixelView) {
        let map = RangeMap(fromFullRange: source.format.isFullRange, toFullRange: destination.format.isFullRange)
        var job = unsafe nalu_packed_job()
        unsafe job.source = unsafe UnsafePointer(source.plane(0).baseAddress.assumingMemoryBound(to: UInt8.self))
        unsafe job.source_stride = unsafe source.plane(0).stride
        unsafe job.width = Int32(source.width)
        unsafe job.height = Int32(source.height)
        unsafe job.luma_first = source.format == .yuyv ? 1 : 0
        unsafe job.limit = limit
        unsafe job.luma_map = map.luma
        unsafe job.chroma_map = map.chroma
        unsafe job.destination = destination.kernelPlanes
        unsafe nalu_packed_422_to_420(&job)
    }
}
