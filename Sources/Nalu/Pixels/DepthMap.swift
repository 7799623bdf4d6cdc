import CPixelKernels

/// The map of a sample between two depths and ranges, by ITU-T H.273. In video range each further bit doubles every
/// value. In full range the largest value of one depth becomes the largest of the other.
struct DepthMap {
    private let source: PixelFormat
    private let destination: PixelFormat

    init(from source: PixelFormat, to destination: PixelFormat) {
        self.source = source
        self.destination = destination
    }

    /// Whether only the position of the bits changes.
    var keepsValues: Bool {
        source.bitDepth == destination.bitDepth && source.isFullRange == destination.isFullRange
    }

    /// The conversion for `nalu_change_depth`.
    var step: Int32 {
        if source.bitDepth == 8 { return Int32(NALU_DEPTH_WIDEN) }
        if destination.bitDepth > 8 { return Int32(NALU_DEPTH_WORDS) }
        // Only with this conversion does a value fall exactly between two values.
        let isQuarter = !source.isFullRange && !destination.isFullRange
        return Int32(isQuarter ? NALU_DEPTH_QUARTER : NALU_DEPTH_NARROW)
    }

    var luma: nalu_byte_map {
        Self.map(
            span: Self.lumaSpan(source), zero: Self.lumaZero(source), newSpan: Self.lumaSpan(destination),
            newZero: Self.lumaZero(destination))
    }

    var chroma: nalu_byte_map {
        Self.map(
            span: Self.chromaSpan(source), zero: Self.chromaZero(source), newSpan: Self.chromaSpan(destination),
            newZero: Self.chromaZero(destination))
    }

    /// Returns the scale and bias that turn the sum of four source values into a destination value, with 24 fractional
    /// bits. The bias contains the rounding. The products are at most 2^24 * 2^18 * 4.
    func average(isLuma: Bool) -> (scale: Int64, bias: Int64) {
        let (span, newSpan) =
            isLuma
            ? (Self.lumaSpan(source), Self.lumaSpan(destination))
            : (Self.chromaSpan(source), Self.chromaSpan(destination))
        let (zero, newZero) =
            isLuma
            ? (Self.lumaZero(source), Self.lumaZero(destination))
            : (Self.chromaZero(source), Self.chromaZero(destination))
        let scale = newSpan / span
        let one = Double(1 << 24)
        return (Int64((scale / 4 * one).rounded()), Int64(((newZero - zero * scale + 0.5) * one).rounded()))
    }

    private static func unit(_ format: PixelFormat) -> Double { Double(1 << (format.bitDepth - 8)) }

    private static func lumaSpan(_ format: PixelFormat) -> Double {
        format.isFullRange ? 256 * unit(format) - 1 : 219 * unit(format)
    }

    private static func lumaZero(_ format: PixelFormat) -> Double { format.isFullRange ? 0 : 16 * unit(format) }

    private static func chromaSpan(_ format: PixelFormat) -> Double {
        format.isFullRange ? 256 * unit(format) - 1 : 224 * unit(format)
    }

    private static func chromaZero(_ format: PixelFormat) -> Double { 128 * unit(format) }

    private static func map(span: Double, zero: Double, newSpan: Double, newZero: Double) -> nalu_byte_map {
        let scale = newSpan / span
        return nalu_byte_map(
            scale: Int32((scale * 16384).rounded()), bias: Int32(((newZero - zero * scale + 0.5) * 16384).rounded()))
    }
}
