private import NaluLibc

/// Converts between the QP of H.264, QP_Y, whose steps mean the same at every depth, and x264's own numbers, which
/// begin at 0. QpBdOffset_Y, 6 for each bit over 8 (ITU-T H.264 7.4.2.1.1), is the difference.
struct QPScale: Sendable {
    private let offset: Int

    init(bitDepth: Int) {
        offset = 6 * (bitDepth - 8)
    }

    func x264(_ qp: Int) -> Int32 { Int32(qp + offset) }

    func qp(x264 number: Double) -> Double { number - Double(offset) }

    /// x264's `qp2qscale`.
    func scale(x264 number: Double) -> Double { Self.scale(qp: qp(x264: number)) }

    static func scale(qp: Double) -> Double { 0.85 * pow(2, (qp - 12) / 6) }

    static func qp(scale: Double) -> Double { 12 + 6 * log2(scale / 0.85) }
}
