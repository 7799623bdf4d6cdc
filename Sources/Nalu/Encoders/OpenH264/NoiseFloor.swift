private import NaluLibc

/// The lowest QP with which OpenH264 can encode a frame.
///
/// OpenH264's buffer has 12 bits for a pixel, and 8 bits if the picture is one slice. A picture of noise is larger at a low
/// QP: OpenH264 then fails, and with CABAC writes beyond its memory. The size of a coefficient grows with the logarithm of
/// the residual divided by the quantizer's step, and the residual with the mean difference of neighbouring samples, the
/// detail. A bound for the step is therefore a fraction of the detail. Measured with noise of two amplitudes, from 16x16 to
/// 3840x2160: the largest picture at this QP has 9.7 of the 12 bits, or 6.0 of the 8.
struct NoiseFloor {
    private let detailInSteps: Double

    /// - Parameter hasSlices: whether a large picture may have several slices.
    init(hasSlices: Bool) {
        detailInSteps = hasSlices ? 12 : 3
    }

    /// Returns the lowest QP for a frame of that detail (`nalu_openh264_detail`), 0 to 51. The step is 1 at QP 4, and
    /// doubles every 6 (ITU-T H.264 8.5.9).
    func qp(detail: Double) -> Int {
        guard detail > 0 else { return 0 }
        return Int(min(max((4 + 6 * log2(detail / detailInSteps)).rounded(.up), 0), 51))
    }

    /// The lowest QP for black and white noise, which has the most detail.
    var highest: Int { qp(detail: 127.5) }
}
