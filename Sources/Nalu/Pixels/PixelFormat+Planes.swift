extension PixelFormat {
    /// The largest width and height of a frame, in pixels. The corresponding C constant is `NALU_MAX_DIMENSION`.
    public static let maximumDimension = 16384

    /// How many planes a frame has: 1, 2 or 3; 0 for a code that Nalu does not know.
    public var planeCount: Int {
        switch family {
        case .biplanar420, .biplanarSource: 2
        case .planar420: 3
        case .rgb, .packed422, .gray: 1
        case nil: 0
        }
    }

    /// Samples in a row of a plane of a frame `width` pixels wide; 0 for a plane that is not there.
    ///
    /// A chroma plane of 4:2:0 and 4:2:2 has `(width + 1) / 2`. `width` must not be negative or beyond ``maximumDimension``.
    public func planeWidth(_ plane: Int, ofWidth width: Int) -> Int {
        guard (0..<planeCount).contains(plane) else { return 0 }
        return plane == 0 ? width : (width + chromaColumns - 1) / chromaColumns
    }

    /// Rows of a plane of a frame `height` pixels high; 0 for a plane that is not there.
    public func planeHeight(_ plane: Int, ofHeight height: Int) -> Int {
        guard (0..<planeCount).contains(plane) else { return 0 }
        return plane == 0 ? height : (height + chromaRows - 1) / chromaRows
    }

    /// The bytes that a row of a plane occupies at least; 0 for a plane that is not there.
    public func minimumBytesPerRow(_ plane: Int, ofWidth width: Int) -> Int {
        let samples = planeWidth(plane, ofWidth: width)
        switch family {
        case .biplanar420, .biplanarSource: return (plane == 0 ? samples : samples * 2) * bytesPerSample
        case .rgb: return samples * bytesPerPixel
        case .packed422: return (samples + 1) / 2 * 4
        case .planar420, .gray, nil: return samples
        }
    }

    /// The bytes of a pixel of an RGB format: 3 or 4.
    var bytesPerPixel: Int {
        self == .rgb24 || self == .bgr24 ? 3 : 4
    }

    /// "the CbCr plane of " where there is more than one plane: the beginning of an error's sentence.
    func planePhrase(_ plane: Int) -> String {
        switch (family, plane) {
        case (.biplanar420, 0), (.biplanarSource, 0), (.planar420, 0): "the Y plane of "
        case (.biplanar420, _), (.biplanarSource, _): "the CbCr plane of "
        case (.planar420, 1): "the Cb plane of "
        case (.planar420, _): "the Cr plane of "
        default: ""
        }
    }

    /// Throws when Nalu does not know the format, or when a frame cannot have that size.
    ///
    /// `.invalidPixelFormat`; `.invalidSize`: `width` or `height` is not in 1...16384.
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
