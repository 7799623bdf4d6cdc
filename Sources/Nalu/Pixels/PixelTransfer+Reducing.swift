import CPixelKernels

/// The conversion of 4:2:2, 4:4:4 and 16 bits in two planes, which no encoder accepts.
extension PixelTransfer {
    /// Converts to 4:2:0 of 8 or 10 bits and the same size. Each value is rounded once.
    func reduce(_ source: PixelView, to destination: PixelView) {
        let (format, newFormat) = (source.format, destination.format)
        if format.bitDepth == 8 && newFormat.bitDepth == 8 {
            changeRange(of: 0, source, to: destination)
        } else if format.bitDepth <= 10 {
            changeDepth(of: 0, source, to: destination)
        } else {
            unsafe average(
                source.plane(0), format, width: source.width, height: source.height, to: destination.plane(0),
                destination.plane(0), newFormat, isLuma: true)
        }
        // The second component is one sample further in the same plane, or in its own plane.
        let cb = unsafe destination.plane(1)
        let cr =
            unsafe destination.planeCount == 3
            ? destination.plane(2) : PixelPlane(cb.baseAddress + newFormat.bytesPerSample, cb.stride)
        unsafe average(
            source.plane(1), format, width: source.planeWidth(1), height: source.planeHeight(1), to: cb, cr, newFormat,
            isLuma: false)
    }

    private func average(
        _ source: PixelPlane, _ format: PixelFormat, width: Int, height: Int, to first: PixelPlane,
        _ second: PixelPlane, _ newFormat: PixelFormat, isLuma: Bool
    ) {
        let weights = DepthMap(from: format, to: newFormat).average(isLuma: isLuma)
        var job = unsafe nalu_average_job()
        unsafe job.source = unsafe UnsafePointer(source.baseAddress.assumingMemoryBound(to: UInt8.self))
        unsafe job.source_stride = unsafe source.stride
        unsafe job.source_width = Int32(width)
        unsafe job.source_height = Int32(height)
        unsafe job.components = isLuma ? 1 : 2
        unsafe job.columns = isLuma ? 1 : Int32(2 / format.chromaColumns)
        unsafe job.rows = isLuma ? 1 : Int32(2 / format.chromaRows)
        unsafe job.source_bytes = Int32(format.bytesPerSample)
        unsafe job.source_shift = Int32(format.sampleShift)
        unsafe job.destination.0 = unsafe first.baseAddress.assumingMemoryBound(to: UInt8.self)
        unsafe job.destination.1 = unsafe second.baseAddress.assumingMemoryBound(to: UInt8.self)
        unsafe job.destination_stride = unsafe (first.stride, second.stride)
        unsafe job.destination_step = isLuma || newFormat.isPlanar420 ? 1 : 2
        unsafe job.destination_bytes = Int32(newFormat.bytesPerSample)
        unsafe job.destination_shift = Int32(newFormat.sampleShift)
        unsafe job.maximum = Int32(1 << newFormat.bitDepth - 1)
        unsafe job.scale = weights.scale
        unsafe job.bias = weights.bias
        unsafe nalu_average_plane(&job)
    }

    /// Returns a 4:2:0 copy of the source in scratch memory, for scaling. It has the source's depth and range. For a
    /// source of 16 bits it has the destination's, so that values are rounded once.
    func reducedFrame(_ source: PixelView, for destination: PixelFormat) throws(NaluError) -> PixelView {
        let model = source.format.bitDepth == 16 ? destination : source.format
        let (depth, isFullRange) = (model.bitDepth, model.isFullRange)
        let format: PixelFormat =
            depth > 8
            ? (isFullRange ? .x420FullRange : .x420) : (isFullRange ? .nv12FullRange : .nv12)
        let layout = PixelLayout(checked: format, width: source.width, height: source.height)
        let reduced = unsafe layout.view(at: try frameScratch.reserve(layout.byteCount))
        reduce(source, to: reduced)
        return reduced
    }
}
