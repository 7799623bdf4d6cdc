/// A rectangle in a frame, in pixels from the frame's top left corner.
struct PixelRectangle: Hashable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    /// The first column to the right of the rectangle.
    var right: Int { x + width }
    /// The first row below the rectangle.
    var bottom: Int { y + height }
}

extension PixelFormat {
    /// The number of columns that share a sample. A part of a frame must begin at a multiple of it.
    var columnUnit: Int { chromaColumns }
    /// The number of rows that share a sample. A part of a frame must begin at a multiple of it.
    var rowUnit: Int { chromaRows }

    /// Returns the distance in bytes from the beginning of a plane's row to `column`, a multiple of ``columnUnit``.
    fileprivate func byteOffset(of column: Int, plane: Int) -> Int {
        switch family {
        case .biplanar420, .biplanarSource:
            (plane == 0 ? column : column / chromaColumns * 2) * bytesPerSample
        case .planar420: plane == 0 ? column : column / 2
        case .rgb: column * bytesPerPixel
        case .packed422: column * 2
        case .gray, nil: column
        }
    }
}

extension PixelView {
    /// Returns a part of the frame. It must lie in the frame and begin at multiples of the format's units.
    func part(_ rectangle: PixelRectangle) -> PixelView {
        func moved(_ index: Int) -> PixelPlane {
            let plane = unsafe plane(index)
            let row = index == 0 ? rectangle.y : rectangle.y / format.rowUnit
            return unsafe PixelPlane(
                plane.baseAddress + row * plane.stride + format.byteOffset(of: rectangle.x, plane: index), plane.stride)
        }
        let first = unsafe moved(0)
        return unsafe PixelView(
            unchecked: format, width: rectangle.width, height: rectangle.height, first,
            planeCount < 2 ? first : moved(1), planeCount < 3 ? first : moved(2))
    }

    /// Makes the frame black: the lowest luma of its range, and no colour. For 4:2:0 only.
    func fillBlack() {
        let luma = format.isFullRange ? 0 : 16
        for index in 0..<planeCount {
            let value = index == 0 ? luma : 128
            if format.bytesPerSample == 1 {
                unsafe plane(index).fill(UInt8(value), width: bytesPerRow(index), height: planeHeight(index))
            } else {
                unsafe plane(index).fill(
                    word: UInt16((value * 4) << format.sampleShift), width: bytesPerRow(index) / 2,
                    height: planeHeight(index))
            }
        }
    }

    /// Makes everything around a part black. Part and frame must begin and end at even numbers. For 4:2:0 only.
    func fillBlack(around inside: PixelRectangle) {
        let bars = [
            PixelRectangle(x: 0, y: 0, width: width, height: inside.y),
            PixelRectangle(x: 0, y: inside.bottom, width: width, height: height - inside.bottom),
            PixelRectangle(x: 0, y: inside.y, width: inside.x, height: inside.height),
            PixelRectangle(x: inside.right, y: inside.y, width: width - inside.right, height: inside.height),
        ]
        for bar in bars where bar.width > 0 && bar.height > 0 { part(bar).fillBlack() }
    }
}
