extension PixelFormat {
    /// The largest width and height of a frame, in pixels. The corresponding C constant is `NALU_MAX_DIMENSION`.
    public static let maximumDimension = 16384

    /// The number of planes, 1 to 3; 0 for an unsupported code.
    public var planeCount: Int {
        switch family {
        case .biplanar420, .biplanarSource: 2
        case .planar420: 3
        case .rgb, .packed422, .gray: 1
        case nil: 0
        }
    }

    /// Returns the samples in a row of a plane of a frame `width` pixels wide; 0 if there is no such plane.
    ///
    /// A chroma plane of 4:2:0 and 4:2:2 has `(width + 1) / 2`. `width` must not be negative or exceed
    /// ``maximumDimension``.
    public func planeWidth(_ plane: Int, ofWidth width: Int) -> Int {
        guard (0..<planeCount).contains(plane) else { return 0 }
        return plane == 0 ? width : (width + chromaColumns - 1) / chromaColumns
    }

    /// Returns the rows of a plane of a frame `height` pixels high; 0 if there is no such plane.
    public func planeHeight(_ plane: Int, ofHeight height: Int) -> Int {
        guard (0..<planeCount).contains(plane) else { return 0 }
        return plane == 0 ? height : (height + chromaRows - 1) / chromaRows
    }

    /// Returns the least size of a plane's row in bytes; 0 if there is no such plane.
    public func minimumBytesPerRow(_ plane: Int, ofWidth width: Int) -> Int {
        let samples = planeWidth(plane, ofWidth: width)
        switch family {
        case .biplanar420, .biplanarSource: return (plane == 0 ? samples : samples * 2) * bytesPerSample
        case .rgb: return samples * bytesPerPixel
        case .packed422: return (samples + 1) / 2 * 4
        case .planar420, .gray, nil: return samples
        }
    }

    /// The bytes per pixel of an RGB format: 3 or 4.
    var bytesPerPixel: Int {
        self == .rgb24 || self == .bgr24 ? 3 : 4
    }

    /// Returns the beginning of an error message, for example "the CbCr plane of ". It is empty if there is only one
    /// plane.
    func planePhrase(_ plane: Int) -> String {
        switch (family, plane) {
        case (.biplanar420, 0), (.biplanarSource, 0), (.planar420, 0): "the Y plane of "
        case (.biplanar420, _), (.biplanarSource, _): "the CbCr plane of "
        case (.planar420, 1): "the Cb plane of "
        case (.planar420, _): "the Cr plane of "
        default: ""
        }
    }

    /// Throws `.invalidPixelFormat` if the format is not supported, and `.invalidSize` if `width` or `height` is not in
    /// 1...16384.
    func check(width: Int, height: Int) throws(NaluError) {
        guard isSupported else {
            let known = Self.supported.map(\.description).joined(separator: ", ")
            throw NaluError(.invalidPixelFormat, "format is \(self); expected one of \(known)")
        }
        for (name, value) in [("width", width), ("height", height)] where !(1...Self.maximumDimension).contains(value) {
            throw NaluError(.invalidSize, "\(name) is \(value) pixels; expected 1 to \(Self.maximumDimension)")
        }
    }
}
