internal import Nalu

/// The cropping and scaling of decoded pictures; the session scales.
struct PictureShape {
    var size: FrameSize?
    var crop: CropRectangle?

    /// True if every output picture has the same size, even if the input's size changes.
    var fixesSize: Bool { size != nil }

    /// Returns the size of the encoded pictures for decoded pictures of this size.
    func encoded(width: Int, height: Int) -> (width: Int, height: Int) {
        if let size { return (size.width, size.height) }
        return crop.map { ($0.width, $0.height) } ?? (width, height)
    }

    /// Returns the pixel aspect ratio with which scaled pictures keep their shape. Returns `ratio` itself if only the
    /// rounding of the size to whole pixels changes the shape.
    ///
    /// - Parameter ratio: the ratio of the decoded pictures; nil for square pixels without a statement in the input.
    func aspect(
        _ ratio: (horizontal: Int, vertical: Int)?, width: Int, height: Int
    ) -> (horizontal: Int, vertical: Int)? {
        guard let size else { return ratio }
        let (width, height) = crop.map { ($0.width, $0.height) } ?? (width, height)
        let kept = Double(width) * Double(size.height) / Double(height)
        let keptHeight = Double(height) * Double(size.width) / Double(width)
        // One pixel of rounding is no change of shape: 853.3 columns become 854, the next even number.
        if abs(kept - Double(size.width)) <= 1 || abs(keptHeight - Double(size.height)) <= 1 { return ratio }
        var horizontal = (ratio?.horizontal ?? 1) * width * size.height
        var vertical = (ratio?.vertical ?? 1) * height * size.width
        var (a, b) = (horizontal, vertical)
        while b != 0 { (a, b) = (b, a % b) }
        (horizontal, vertical) = (horizontal / max(a, 1), vertical / max(a, 1))
        // The ratio's syntax elements have 16 bits (ITU-T H.264 E.1.1).
        while max(horizontal, vertical) > 65535 {
            (horizontal, vertical) = ((horizontal + 1) / 2, (vertical + 1) / 2)
        }
        return (horizontal, vertical)
    }

    /// Throws if the crop rectangle does not fit the pictures.
    ///
    /// - Parameters:
    ///   - width: the width of the pictures of `input`; `height` is their height.
    ///   - format: the pixel format of the decoded pictures.
    func check(width: Int, height: Int, format: PixelFormat, input: String) throws(Failure) {
        guard let crop else { return }
        guard crop.fits(width: width, height: height) else {
            throw .usage(
                "--crop is \(crop.text), which is not inside the pictures of \(input); expected a part of \(width)x\(height) pixels"
            )
        }
        guard crop.left.isMultiple(of: format.chromaColumns), crop.top.isMultiple(of: format.chromaRows) else {
            throw .usage(
                "--crop is \(crop.text); expected an even distance from the left\(format.chromaRows > 1 ? " and the top" : ""), because \(input) has one chroma sample for two columns\(format.chromaRows > 1 ? " and rows" : "")"
            )
        }
    }

    /// Throws if fields are scaled or shifted by an odd number of lines. Scaling would mix lines of different times,
    /// and a shift by a line would swap the fields.
    ///
    /// - Parameter width: the width of the pictures after cropping; `height` is their height.
    func checkFields(width: Int, height: Int, format: PixelFormat, input: String) throws(Failure) {
        if let size, (size.width, size.height) != (width, height) {
            throw .usage(
                "\(input) is interlaced, and interlaced pictures are not scaled; leave --size out, or deinterlace them first, for example with ffmpeg -vf bwdif"
            )
        }
        if let crop, !crop.top.isMultiple(of: 2 * format.chromaRows) {
            throw .usage(
                "--crop is \(crop.text); expected a distance from the top that is a multiple of \(2 * format.chromaRows), because \(input) is interlaced"
            )
        }
    }

    /// Returns the cropped picture without a copy of its pixels.
    func cropped(_ image: PixelBuffer, input: String) throws -> PixelBuffer {
        guard let crop else { return image }
        let format = image.format
        try check(width: image.width, height: image.height, format: format, input: input)
        var planes: [UnsafeRawPointer?] = unsafe []
        var strides: [Int64] = []
        for plane in 0..<image.planeCount {
            let stride = image.planeStride(plane)
            let row = plane == 0 ? crop.top : crop.top / format.chromaRows
            let column = format.minimumBytesPerRow(plane, ofWidth: crop.left)
            let base = unsafe image.planeBaseAddress(plane)
            unsafe planes.append(base.map { unsafe UnsafeRawPointer($0 + row * stride + column) })
            strides.append(Int64(stride))
        }
        let view = unsafe try PixelView.validated(
            format: format, width: crop.width, height: crop.height, planeCount: image.planeCount, planes: planes,
            strides: strides, planeSizes: nil)
        return PixelBuffer(wrapping: view, onRelease: { withExtendedLifetime(image) {} })
    }
}
