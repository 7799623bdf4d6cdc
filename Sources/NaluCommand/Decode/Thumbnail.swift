internal import Nalu

/// Draws small copies of decoded pictures, mirrored and rotated as players show them.
struct Thumbnail {
    /// The width of the small picture in pixels.
    let width: Int
    let height: Int
    private let orientation: Orientation
    /// The factors from Y'CbCr to R'G'B' (ITU-T H.273 8.3): `red` for Cr in red, `blue` for Cb in blue. Green follows
    /// from them.
    private let red: Double
    private let blue: Double
    private let lumaWeights: (red: Double, blue: Double)
    private let isFullRange: Bool

    /// - Parameter longest: the longer side in pixels.
    init(of facts: VideoFacts, orientation: Orientation, longest: Int) {
        self.orientation = orientation
        let aspect = facts.pixelAspectRatio.map { Double($0.horizontal) / Double($0.vertical) } ?? 1
        var shown = (width: Double(facts.width) * aspect, height: Double(facts.height))
        if orientation.rotation % 180 != 0 { shown = (shown.height, shown.width) }
        let scale = Double(longest) / max(shown.width, shown.height)
        width = max(1, Int((shown.width * scale).rounded()))
        height = max(1, Int((shown.height * scale).rounded()))
        let weights: (Double, Double) =
            switch facts.color?.matrix {
            case 1: (0.2126, 0.0722)
            case 5, 6: (0.299, 0.114)
            case 7: (0.212, 0.087)
            case 9, 10: (0.2627, 0.0593)
            default: facts.height >= 720 ? (0.2126, 0.0722) : (0.299, 0.114)
            }
        lumaWeights = weights
        red = 2 * (1 - weights.0)
        blue = 2 * (1 - weights.1)
        isFullRange = facts.format.isFullRange
    }

    /// One component of a picture: samples of a plane at equal distances. ``draw(_:into:x:y:)`` keeps the picture alive.
    @safe
    private struct Component {
        let columns: Int
        let rows: Int
        /// The place of the first sample, and the distance of rows in bytes.
        let plane: PixelPlane
        let isDeep: Bool
        /// The index of the first sample of a row, and the distance of samples.
        let first: Int
        let step: Int

        init(_ image: PixelBuffer, plane: Int, first: Int = 0, step: Int = 1) {
            columns = image.planeWidth(plane)
            rows = image.planeHeight(plane)
            unsafe self.plane = unsafe image.view.plane(plane)
            isDeep = image.format.bitDepth > 8
            self.first = first
            self.step = step
        }

        /// Returns the mean of the samples in a rectangle, whose sides go from 0 to 1.
        func mean(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) -> Double {
            let x = min(Int(left * Double(columns)), columns - 1)
            let y = min(Int(top * Double(rows)), rows - 1)
            let endX = max(x + 1, min(Int((right * Double(columns)).rounded(.up)), columns))
            let endY = max(y + 1, min(Int((bottom * Double(rows)).rounded(.up)), rows))
            var sum = 0
            for row in y..<endY {
                let start = unsafe UnsafeRawPointer(plane.baseAddress) + row * plane.stride
                for column in x..<endX {
                    let index = column * step + first
                    sum +=
                        unsafe isDeep
                        ? Int(start.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
                        : Int(start.load(fromByteOffset: index, as: UInt8.self)) << 8
                }
            }
            return Double(sum) / Double((endX - x) * (endY - y)) / 256
        }
    }

    /// Returns R, G and B, or Y, Cb and Cr of a picture.
    private func components(_ image: PixelBuffer) -> (Component, Component, Component) {
        if image.format == .bgra {
            return (
                Component(image, plane: 0, first: 2, step: 4), Component(image, plane: 0, first: 1, step: 4),
                Component(image, plane: 0, first: 0, step: 4)
            )
        }
        let isPlanar = image.planeCount == 3
        return (
            Component(image, plane: 0), Component(image, plane: 1, first: 0, step: isPlanar ? 1 : 2),
            isPlanar ? Component(image, plane: 2) : Component(image, plane: 1, first: 1, step: 2)
        )
    }

    /// Draws the picture with its upper left corner at (`left`, `top`).
    func draw(_ image: PixelBuffer, into sheet: inout RGBPicture, x left: Int, y top: Int) {
        let components = components(image)
        let isRGB = image.format == .bgra
        for y in 0..<height {
            for x in 0..<width {
                // The rectangle of the picture that this pixel shows; each side goes from 0 to 1.
                let (u, v) = source(Double(x) / Double(width), Double(y) / Double(height))
                let (u2, v2) = source(Double(x + 1) / Double(width), Double(y + 1) / Double(height))
                let (begin, end) = ((min(u, u2), min(v, v2)), (max(u, u2), max(v, v2)))
                let means = (
                    components.0.mean(begin.0, begin.1, end.0, end.1),
                    components.1.mean(begin.0, begin.1, end.0, end.1),
                    components.2.mean(begin.0, begin.1, end.0, end.1)
                )
                let (red, green, blue) = isRGB ? means : rgb(means.0, means.1, means.2)
                sheet.set(left + x, top + y, Self.byte(red), Self.byte(green), Self.byte(blue))
            }
        }
        withExtendedLifetime(image) {}
    }

    private func source(_ x: Double, _ y: Double) -> (Double, Double) {
        let (u, v) =
            switch orientation.rotation {
            case 90: (y, 1 - x)
            case 180: (1 - x, 1 - y)
            case 270: (1 - y, x)
            default: (x, y)
            }
        return (orientation.isMirrored ? 1 - u : u, v)
    }

    private static func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }

    /// Converts Y'CbCr to R'G'B'.
    private func rgb(_ luma: Double, _ cb: Double, _ cr: Double) -> (Double, Double, Double) {
        let (cb, cr) = (cb - 128, cr - 128)
        let (y, scale) = isFullRange ? (luma, 1.0) : ((luma - 16) * 255 / 219, 255.0 / 224)
        let r = y + red * cr * scale
        let b = y + blue * cb * scale
        let g = (y - lumaWeights.red * r - lumaWeights.blue * b) / (1 - lumaWeights.red - lumaWeights.blue)
        return (r, g, b)
    }
}
