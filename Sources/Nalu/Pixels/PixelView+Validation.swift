extension PixelView {
    /// The largest span of a plane. All arithmetic on strides and heights then fits into 32 bits, as libyuv needs.
    private static let maximumPlaneSpan = Int(Int32.max)

    /// Checks planes in the form of the C interface, and returns a view of them.
    ///
    /// - Parameters:
    ///   - width: 1...16384 pixels. The same for `height`.
    ///   - planeCount: the number of planes that the format demands.
    ///   - planes: the addresses of the first rows, one per plane. None is null; they are even for a format of more
    ///     than 8 bits.
    ///   - strides: bytes from one row to the next, one number per plane; even for a format of more than 8 bits.
    ///   - planeSizes: the bytes of each plane; nil to skip this check. The last row may end without padding.
    ///
    /// Throws `.parameter` for a null or odd pointer or a wrong `planeCount`. Throws `.invalidSize` if width, height, a
    /// stride or a plane size is out of range. Throws `.invalidPixelFormat`.
    public static func validated(
        format: PixelFormat, width: Int, height: Int, planeCount: Int,
        planes: UnsafePointer<UnsafeRawPointer?>?, strides: UnsafePointer<Int64>?, planeSizes: UnsafePointer<UInt64>?
    ) throws(NaluError) -> PixelView {
        try format.check(width: width, height: height)
        guard planeCount == format.planeCount else {
            let planes = format.planeCount == 1 ? "plane" : "planes"
            throw NaluError(
                .parameter, "plane_count is \(planeCount); a \(format) frame has \(format.planeCount) \(planes)")
        }
        guard let planes = unsafe planes else {
            throw NaluError(.parameter, "planes is NULL; expected \(planeCount) addresses")
        }
        guard let strides = unsafe strides else {
            throw NaluError(.parameter, "strides is NULL; expected \(planeCount) numbers of bytes")
        }
        func checked(_ plane: Int) throws(NaluError) -> PixelPlane {
            unsafe try checkedPlane(plane, format, width, height, planes, strides, planeSizes)
        }
        let first = unsafe try checked(0)
        let second = unsafe planeCount < 2 ? first : try checked(1)
        let third = unsafe planeCount < 3 ? first : try checked(2)
        return unsafe PixelView(unchecked: format, width: width, height: height, first, second, third)
    }

    private static func checkedPlane(
        _ plane: Int, _ format: PixelFormat, _ width: Int, _ height: Int, _ planes: UnsafePointer<UnsafeRawPointer?>,
        _ strides: UnsafePointer<Int64>, _ planeSizes: UnsafePointer<UInt64>?
    ) throws(NaluError) -> PixelPlane {
        guard let base = unsafe planes[plane] else {
            throw NaluError(
                .parameter,
                "planes[\(plane)] is NULL; expected the address of the first row of \(format.planePhrase(plane))a \(format) "
                    + "frame")
        }

        // Computed for errors only, because this code runs for every frame.
        var frame: String { "\(format.planePhrase(plane))a \(width)x\(height) \(format) frame" }
        let stride = unsafe strides[plane]
        let rowBytes = format.minimumBytesPerRow(plane, ofWidth: width)
        guard stride >= rowBytes else {
            throw NaluError(
                .invalidSize, "strides[\(plane)] is \(stride) bytes; a row of \(frame) needs at least \(rowBytes)")
        }
        // C cannot read words at odd addresses.
        guard format.bytesPerSample == 1 || stride % 2 == 0 else {
            throw NaluError(
                .invalidSize,
                "strides[\(plane)] is \(stride) bytes; \(frame) has samples of 2 bytes and needs an even one")
        }
        guard format.bytesPerSample == 1 || UInt(bitPattern: base) % 2 == 0 else {
            throw NaluError(
                .parameter,
                "planes[\(plane)] is an odd address; \(frame) has samples of 2 bytes and needs an even one")
        }
        let rows = format.planeHeight(plane, ofHeight: height)
        guard stride <= maximumPlaneSpan / rows else {
            throw NaluError(
                .invalidSize,
                "strides[\(plane)] is \(stride) bytes; a row of \(frame) may have at most \(maximumPlaneSpan / rows)")
        }

        if let planeSizes = unsafe planeSizes {
            let needed = Int(stride) * (rows - 1) + rowBytes
            let size = unsafe planeSizes[plane]
            guard size >= needed else {
                throw NaluError(
                    .invalidSize,
                    "plane_sizes[\(plane)] is \(size) bytes; \(frame) with strides of \(stride) needs at least "
                        + "\(needed)")
            }
        }
        return unsafe PixelPlane(UnsafeMutableRawPointer(mutating: base), Int(stride))
    }

    /// Checks planes in Swift buffers, with one stride each, and returns a view of them. The checks are those of
    /// ``validated(format:width:height:planeCount:planes:strides:planeSizes:)``.
    public static func validated(
        format: PixelFormat, width: Int, height: Int, planes: [UnsafeRawBufferPointer], strides: [Int]
    ) throws(NaluError) -> PixelView {
        guard unsafe strides.count == planes.count else {
            throw NaluError(.parameter, unsafe "there are \(strides.count) strides for \(planes.count) planes")
        }
        let addresses = unsafe planes.map { $0.baseAddress }
        let sizes = unsafe planes.map { UInt64($0.count) }
        return unsafe try validated(
            format: format, width: width, height: height, planeCount: planes.count, planes: addresses,
            strides: strides.map(Int64.init), planeSizes: sizes)
    }
}
