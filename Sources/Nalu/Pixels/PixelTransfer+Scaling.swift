extension PixelTransfer {
    /// Converts between frames of different sizes.
    ///
    /// RGB that grows is scaled first, so that its chroma keeps the source's full resolution. RGB that shrinks is
    /// converted first: this loses nothing, and leaves less than half of the bytes to scale.
    func scale(_ source: PixelView, to destination: PixelView, matrix: ColorMatrix) throws(NaluError) {
        switch source.format.family {
        case .gray:
            unsafe try scalePlane(
                source.plane(0), width: source.width, height: source.height, to: destination.plane(0),
                width: destination.width, height: destination.height)
            let map = RangeMap(fromFullRange: true, toFullRange: destination.format.isFullRange)
            if map != .keep {
                unsafe destination.plane(0).map(
                    map.luma, to: destination.plane(0), width: destination.width, height: destination.height,
                    limit: limit)
            }
            fillChroma(of: destination)
        case .rgb where destination.width >= source.width && destination.height >= source.height:
            convert(
                try enlarged(source, width: destination.width, height: destination.height), to: destination,
                matrix: matrix)
        case .rgb, .packed422:
            let layout = PixelLayout(
                checked: destination.format.isFullRange ? .i420FullRange : .i420, width: source.width,
                height: source.height)
            let converted = unsafe layout.view(at: try frameScratch.reserve(layout.byteCount))
            convert(source, to: converted, matrix: matrix)
            try scale420(converted, to: destination)
        case .biplanarSource:
            try scale(reducedFrame(source, for: destination.format), to: destination, matrix: matrix)
        case .biplanar420, .planar420, nil:
            try scale420(source, to: destination)
            changeRangeInPlace(destination, fromFullRange: source.format.isFullRange)
        }
    }

    /// Returns enlarged RGB of three bytes per pixel in scratch memory. Red, green and blue are enlarged separately,
    /// because libyuv's filter for entire pixels turns white into 254.
    private func enlarged(_ source: PixelView, width: Int, height: Int) throws(NaluError) -> PixelView {
        let bytes = source.format.bytesPerPixel
        let stride = PixelMemory.aligned(source.width)
        let newStride = PixelMemory.aligned(width)
        let size = stride * source.height
        let newSize = newStride * height
        let scratch = unsafe try pixelScratch.reserve(4 * size + 3 * newSize)
        let layout = PixelLayout(checked: .rgb24, width: width, height: height)
        let result = unsafe layout.view(at: try frameScratch.reserve(layout.byteCount))

        func apart(_ index: Int) -> PixelPlane { unsafe PixelPlane(scratch + index * size, stride) }
        func larger(_ index: Int) -> PixelPlane { unsafe PixelPlane(scratch + 4 * size + index * newSize, newStride) }
        unsafe source.plane(0).splitPixels(
            to: (apart(0), apart(1), apart(2), apart(3)), width: source.width, height: source.height, bytes: bytes)
        let place = RGBWeights.positions(source.format)
        for (index, position) in [place.red, place.green, place.blue].enumerated() {
            unsafe apart(position).resize(
                width: source.width, height: source.height, to: larger(index), width: width, height: height)
        }
        unsafe result.plane(0).mergePixels((larger(0), larger(1), larger(2)), width: width, height: height)
        return result
    }

    /// Scales 4:2:0 to 4:2:0 and keeps the range. Cb and Cr are scaled separately in every layout.
    private func scale420(_ source: PixelView, to destination: PixelView) throws(NaluError) {
        unsafe try scalePlane(
            source.plane(0), width: source.width, height: source.height, to: destination.plane(0),
            width: destination.width, height: destination.height)

        let (width, height) = (source.planeWidth(1), source.planeHeight(1))
        let (newWidth, newHeight) = (destination.planeWidth(1), destination.planeHeight(1))
        let stride = PixelMemory.aligned(width)
        let newStride = PixelMemory.aligned(newWidth)
        let scratch = unsafe try chromaScratch.reserve(2 * (stride * height + newStride * newHeight))

        var cb = unsafe PixelPlane(scratch, stride)
        var cr = unsafe PixelPlane(scratch + stride * height, stride)
        if source.format.isBiplanar420 {
            unsafe source.plane(1).split(to: cb, cr, width: width, height: height)
        } else {
            unsafe cb = source.plane(1)
            unsafe cr = source.plane(2)
        }

        let rest = unsafe scratch + 2 * stride * height
        let isMerged = destination.format.isBiplanar420
        let newCb = unsafe isMerged ? PixelPlane(rest, newStride) : destination.plane(1)
        let newCr = unsafe isMerged ? PixelPlane(rest + newStride * newHeight, newStride) : destination.plane(2)
        unsafe try scalePlane(cb, width: width, height: height, to: newCb, width: newWidth, height: newHeight)
        unsafe try scalePlane(cr, width: width, height: height, to: newCr, width: newWidth, height: newHeight)
        if isMerged {
            unsafe destination.plane(1).merge(newCb, newCr, width: newWidth, height: newHeight)
        }
    }

    /// Scales a plane of bytes, or of words whose lowest 10 bits are used.
    func scalePlane(
        _ source: PixelPlane, width: Int, height: Int, to destination: PixelPlane, width newWidth: Int,
        height newHeight: Int, bytesPerSample: Int = 1
    ) throws(NaluError) {
        guard newWidth * 2 < width || newHeight * 2 < height else {
            unsafe source.resize(
                width: width, height: height, to: destination, width: newWidth, height: newHeight,
                bytesPerSample: bytesPerSample)
            return
        }
        let sums = unsafe try sumScratch.reserve(width * MemoryLayout<UInt32>.size)
        let (lessWidth, lessHeight) = (min(width, newWidth), min(height, newHeight))
        if lessWidth == newWidth && lessHeight == newHeight {
            unsafe source.shrink(
                width: width, height: height, to: destination, width: newWidth, height: newHeight, sums: sums,
                bytesPerSample: bytesPerSample, limit: limit)
            return
        }
        let stride = PixelMemory.aligned(lessWidth * bytesPerSample)
        let less = unsafe try PixelPlane(shrinkScratch.reserve(stride * lessHeight), stride)
        unsafe source.shrink(
            width: width, height: height, to: less, width: lessWidth, height: lessHeight, sums: sums,
            bytesPerSample: bytesPerSample, limit: limit)
        unsafe less.resize(
            width: lessWidth, height: lessHeight, to: destination, width: newWidth, height: newHeight,
            bytesPerSample: bytesPerSample)
    }
}
