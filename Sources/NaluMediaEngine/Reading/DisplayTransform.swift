private import NaluLibc

/// How a picture is placed when it is shown: CGAffineTransform's a b c d tx ty.
public struct DisplayTransform: Sendable {
    public var a = 1.0
    public var b = 0.0
    public var c = 0.0
    public var d = 1.0
    public var tx = 0.0
    public var ty = 0.0

    init() {}

    /// From the matrix of ISO/IEC 14496-12 8.3.2, whose numbers are of 16.16 bits.
    init(matrix: UnsafePointer<Int32>) {
        let one = 65536.0
        unsafe (a, b) = (Double(matrix[0]) / one, Double(matrix[1]) / one)
        unsafe (c, d) = (Double(matrix[3]) / one, Double(matrix[4]) / one)
        unsafe (tx, ty) = (Double(matrix[6]) / one, Double(matrix[7]) / one)
    }

    /// Whether the picture is flipped, from left to right, before it is turned.
    public var isMirrored: Bool { a * d - b * c < 0 }

    /// The quarter turn that comes next, in degrees clockwise: 0, 90, 180 or 270.
    public var rotation: Int32 {
        let sign = isMirrored ? -1.0 : 1.0
        let quarters = (atan2(sign * b, sign * a) / (.pi / 2)).rounded()
        guard quarters.isFinite else { return 0 }
        return (Int32(quarters) + 4) % 4 * 90
    }
}
