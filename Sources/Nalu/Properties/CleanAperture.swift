/// The displayed part of the picture: its size, and the distance of its centre from that of the picture. The form is
/// that of the `clap` box (ISO/IEC 14496-12, 12.1.4). The H.264 stream expresses it by cropping.
struct CleanAperture: Hashable, Sendable {
    var width: Double
    var height: Double
    /// The offset of the centre to the right, in pixels.
    var horizontalOffset: Double
    /// The offset of the centre downwards, in pixels.
    var verticalOffset: Double

    /// The pixels cropped at each side of the encoded picture.
    struct Cropping: Hashable, Sendable {
        var left: Int
        var right: Int
        var top: Int
        var bottom: Int
    }

    init(_ numbers: [Double]) {
        width = numbers[0]
        height = numbers[1]
        horizontalOffset = numbers[2]
        verticalOffset = numbers[3]
    }

    var numbers: [Double] { [width, height, horizontalOffset, verticalOffset] }

    /// Returns the cropping. Throws `.outOfRange` for an aperture outside the picture, or not on the grid of its
    /// chroma.
    func cropping(of geometry: PictureGeometry) throws(NaluError) -> Cropping {
        func pixels(_ value: Double, _ side: StaticString, _ unit: Int) throws(NaluError) -> Int {
            guard let whole = Int(exactly: value), whole >= 0, whole.isMultiple(of: unit) else {
                throw NaluError(
                    .outOfRange,
                    "CleanAperture is \(PropertyValue.numbers(numbers).text), which leaves \(value) pixels of "
                        + "\(geometry.encodedWidth)x\(geometry.encodedHeight) at the \(side); expected a multiple of \(unit), "
                        + "0 or more, at each side")
            }
            return whole
        }
        let left = (Double(geometry.width) - width) / 2 + horizontalOffset
        let top = (Double(geometry.height) - height) / 2 + verticalOffset
        return Cropping(
            left: try pixels(left, "left", geometry.columnUnit),
            right: try pixels(Double(geometry.encodedWidth) - width - left, "right", geometry.columnUnit),
            top: try pixels(top, "top", geometry.rowUnit),
            bottom: try pixels(Double(geometry.encodedHeight) - height - top, "bottom", geometry.rowUnit))
    }
}
