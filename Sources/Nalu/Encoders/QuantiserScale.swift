/// Between the QP of H.264, QP_Y, by which a step of the quantiser means the same at every depth, and x264's own
/// numbers, which begin at 0: it adds QpBdOffset_Y, 6 for each bit over 8 (ITU-T H.264 7.4.2.1.1).
struct QuantiserScale: Sendable {
    private let offset: Int

    init(bitDepth: Int) {
        offset = 6 * (bitDepth - 8)
    }

    func x264(_ qp: Int) -> Int32 { Int32(qp + offset) }

    func qp(x264 number: Double) -> Double { number - Double(offset) }
}
