import CPixelKernels
import CYUV

/// Conversions to, from and between frames of 10 bits, and from frames of 16 bits.
extension PixelTransfer {
    /// Converts, and scales if the sizes differ. The source or the destination has more than 8 bits.
    func transferDeep(_ source: PixelView, to destination: PixelView, matrix: ColorMatrix) throws(NaluError) {
        if source.width == destination.width && source.height == destination.height {
            try convertDeep(source, to: destination, matrix: matrix)
        } else if source.format.family == .biplanarSource {
            let reduced = try reducedFrame(source, for: destination.format)
            if reduced.format.bitDepth > 8 || destination.format.bitDepth > 8 {
                try transferDeep(reduced, to: destination, matrix: matrix)
            } else {
                try scale(reduced, to: destination, matrix: matrix)
            }
        } else if source.format.bitDepth > 8 {
            try scaleDeep(source, to: destination, matrix: matrix)
        } else {
            // Scaling uses 8 bits, in the range that saves one conversion.
            let isFullRange = source.format.isRGB ? destination.format.isFullRange : source.format.isFullRange
            let scaled = try scratchFrame(
                isFullRange ? .nv12FullRange : .nv12, width: destination.width, height: destination.height)
            try scale(source, to: scaled, matrix: matrix)
            try convertDeep(scaled, to: destination, matrix: matrix)
        }
    }

    private func convertDeep(
        _ source: PixelView, to destination: PixelView, matrix: ColorMatrix
    ) throws(NaluError) {
        switch source.format.family {
        case .biplanarSource:
            reduce(source, to: destination)
        case .biplanar420:
            changeDepth(of: 0, source, to: destination)
            try changeChromaDepth(source, to: destination)
        case .planar420:
            changeDepth(of: 0, source, to: destination)
            let (width, height) = (source.planeWidth(1), source.planeHeight(1))
            let pairs = unsafe try pairScratch(width: width, height: height)
            unsafe pairs.merge(source.plane(1), source.plane(2), width: width, height: height)
            unsafe changeDepth(
                pairs, source.format, to: destination.plane(1), destination.format, width: 2 * width, height: height)
        case .gray:
            changeDepth(of: 0, source, to: destination)
            unsafe destination.plane(1).fill(
                word: UInt16(512 << destination.format.sampleShift), width: 2 * destination.planeWidth(1),
                height: destination.planeHeight(1))
        case .rgb, .packed422, nil:
            let isFullRange = source.format.isRGB && destination.format.isFullRange
            let converted = try scratchFrame(
                isFullRange ? .nv12FullRange : .nv12, width: source.width, height: source.height)
            convert(source, to: converted, matrix: matrix)
            try convertDeep(converted, to: destination, matrix: matrix)
        }
    }

    /// Converts the chroma of a source in two planes. The destination may have three planes, of 8 bits.
    private func changeChromaDepth(_ source: PixelView, to destination: PixelView) throws(NaluError) {
        if destination.format.isBiplanar420 {
            changeDepth(of: 1, source, to: destination)
            return
        }
        let (width, height) = (source.planeWidth(1), source.planeHeight(1))
        let pairs = unsafe try pairScratch(width: width, height: height)
        unsafe changeDepth(
            source.plane(1), source.format, to: pairs, destination.format, width: 2 * width, height: height)
        unsafe pairs.split(to: destination.plane(1), destination.plane(2), width: width, height: height)
    }

    func changeDepth(of index: Int, _ source: PixelView, to destination: PixelView) {
        unsafe changeDepth(
            source.plane(index), source.format, to: destination.plane(index), destination.format,
            width: source.planeWidth(index) * (index == 0 ? 1 : 2), height: source.planeHeight(index),
            isLuma: index == 0)
    }

    /// Converts `width` samples of `height` rows.
    private func changeDepth(
        _ source: PixelPlane, _ format: PixelFormat, to destination: PixelPlane, _ newFormat: PixelFormat, width: Int,
        height: Int, isLuma: Bool = false
    ) {
        let map = DepthMap(from: format, to: newFormat)
        if map.keepsValues && format.sampleShift != newFormat.sampleShift {
            unsafe source.shift(to: destination, width: width, height: height, up: newFormat.sampleShift > 0)
            return
        }
        var job = unsafe nalu_depth_job()
        unsafe job.source = unsafe UnsafePointer(source.baseAddress.assumingMemoryBound(to: UInt8.self))
        unsafe job.source_stride = unsafe source.stride
        unsafe job.destination = unsafe destination.baseAddress.assumingMemoryBound(to: UInt8.self)
        unsafe job.destination_stride = unsafe destination.stride
        unsafe job.width = Int32(width)
        unsafe job.height = Int32(height)
        unsafe job.step = map.step
        unsafe job.source_shift = Int32(format.sampleShift)
        unsafe job.destination_shift = Int32(newFormat.sampleShift)
        unsafe job.limit = limit
        unsafe job.map = isLuma ? map.luma : map.chroma
        unsafe nalu_change_depth(&job)
    }

    /// Scales 10-bit samples in 10 bits, in the source's range, and converts the result.
    private func scaleDeep(
        _ source: PixelView, to destination: PixelView, matrix: ColorMatrix
    ) throws(NaluError) {
        let form: PixelFormat = source.format.isFullRange ? .encoder10FullRange : .encoder10
        let layout = PixelLayout(checked: form, width: destination.width, height: destination.height)
        let (width, height) = (source.planeWidth(1), source.planeHeight(1))
        let (newWidth, newHeight) = (destination.planeWidth(1), destination.planeHeight(1))
        let lumaStride = PixelMemory.aligned(2 * source.width)
        let stride = PixelMemory.aligned(2 * width)
        let newStride = PixelMemory.aligned(2 * newWidth)

        // The scratch memory contains the result, the source's luma, its Cb and Cr, and the new Cb and Cr, each plane
        // aligned.
        let lumaSize = lumaStride * source.height
        let chromaSize = stride * height
        let newSize = newStride * newHeight
        let start = PixelMemory.aligned(layout.byteCount)
        let scratch = unsafe try deepScratch.reserve(start + lumaSize + 2 * chromaSize + 2 * newSize)
        let scaled = unsafe layout.view(at: scratch)
        let luma = unsafe PixelPlane(scratch + start, lumaStride)
        let cb = unsafe PixelPlane(scratch + start + lumaSize, stride)
        let cr = unsafe PixelPlane(cb.baseAddress + chromaSize, stride)
        let newCb = unsafe PixelPlane(cr.baseAddress + chromaSize, newStride)
        let newCr = unsafe PixelPlane(newCb.baseAddress + newSize, newStride)

        unsafe source.plane(0).shift(to: luma, width: source.width, height: source.height, up: false)
        unsafe try scalePlane(
            luma, width: source.width, height: source.height, to: scaled.plane(0), width: scaled.width,
            height: scaled.height, bytesPerSample: 2)
        unsafe source.plane(1).splitWords(to: cb, cr, width: width, height: height)
        unsafe try scalePlane(
            cb, width: width, height: height, to: newCb, width: newWidth, height: newHeight, bytesPerSample: 2)
        unsafe try scalePlane(
            cr, width: width, height: height, to: newCr, width: newWidth, height: newHeight, bytesPerSample: 2)
        unsafe scaled.plane(1).mergeWords(newCb, newCr, width: newWidth, height: newHeight)
        try convertDeep(scaled, to: destination, matrix: matrix)
    }

    /// Returns an 8-bit frame in scratch memory. It is valid until the next one is requested.
    private func scratchFrame(_ format: PixelFormat, width: Int, height: Int) throws(NaluError) -> PixelView {
        let layout = PixelLayout(checked: format, width: width, height: height)
        return unsafe layout.view(at: try deepScratch.reserve(layout.byteCount))
    }

    /// Returns an 8-bit CbCr plane in scratch memory, for separating or interleaving chroma.
    private func pairScratch(width: Int, height: Int) throws(NaluError) -> PixelPlane {
        let stride = PixelMemory.aligned(2 * width)
        return unsafe PixelPlane(try chromaScratch.reserve(stride * height), stride)
    }
}
