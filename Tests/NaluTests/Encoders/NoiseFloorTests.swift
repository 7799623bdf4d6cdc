import COpenH264
import Testing

@testable import Nalu

/// The lowest QP with which a frame fits into OpenH264's buffer.
@Suite struct NoiseFloorTests {
    private func detail(_ width: Int, _ height: Int, _ draw: (Int, Int) -> UInt8) -> Double {
        var luma = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height { for x in 0..<width { luma[y * width + x] = draw(x, y) } }
        let chroma = [UInt8](repeating: 128, count: width * height / 4)
        return luma.withUnsafeBufferPointer { luma in
            chroma.withUnsafeBufferPointer { chroma in
                var frame = nalu_openh264_frame()
                frame.planes = (luma.baseAddress, chroma.baseAddress, chroma.baseAddress)
                frame.strides = (Int32(width), Int32(width / 2), Int32(width / 2))
                return nalu_openh264_detail(&frame, Int32(width), Int32(height))
            }
        }
    }

    @Test func detailIsTheMeanDifferenceOfNeighbours() {
        #expect(detail(32, 16) { _, _ in 77 } == 0)
        // 496 horizontal and 480 vertical differences of luma, and 464 of chroma.
        #expect(abs(detail(32, 16) { x, _ in x % 2 == 0 ? 0 : 255 } - 255.0 * 496 / 1440) < 1e-9)
        #expect(abs(detail(32, 16) { _, y in y % 2 == 0 ? 10 : 30 } - 20.0 * 480 / 1440) < 1e-9)
        #expect(abs(detail(32, 16) { x, y in (x + y) % 2 == 0 ? 0 : 200 } - 200.0 * 976 / 1440) < 1e-9)
    }

    @Test(arguments: [
        (0.0, 0, 0), (0.01, 0, 0), (7.5, 0, 12), (12, 4, 16), (24, 10, 22), (127.5, 25, 37), (255, 31, 43),
    ])
    func moreDetailNeedsAHigherQP(detail: Double, slices: Int, single: Int) {
        #expect(NoiseFloor(hasSlices: true).qp(detail: detail) == slices)
        #expect(NoiseFloor(hasSlices: false).qp(detail: detail) == single)
    }
}

/// When a running encoder of OpenH264 can encode the next frame.
@Suite struct OpenH264SettingsTests {
    private func settings(_ aim: RatePlan.Aim, least: Int? = nil, floor: Int = 0, ceiling: Int? = nil)
        -> OpenH264Settings
    {
        let buffer = ceiling.map { RatePlan.VBVBuffer(kilobitsPerSecond: $0, kilobits: $0) }
        return OpenH264Settings(
            RatePlan(aim: aim, vbvBuffer: buffer), QPBounds(least: least, most: nil), floor: floor)
    }

    @Test func anotherRateOrQualityNeedsNoOtherEncoder() {
        #expect(settings(.kilobitsPerSecond(100)).serves(settings(.kilobitsPerSecond(900)), isKeyFrame: false))
        #expect(settings(.quality(0.2)).serves(settings(.quality(0.9), floor: 40), isKeyFrame: true))
    }

    @Test func aCeilingOverAQualityIsARate() {
        let ceiling = settings(.quality(0.5), ceiling: 500)
        #expect(ceiling.holdsRate && ceiling.leastQP == 26)
        #expect(!settings(.quality(0.5)).serves(ceiling, isKeyFrame: false))
        #expect(!ceiling.serves(settings(.quality(0.75), ceiling: 500), isKeyFrame: false))
    }

    @Test func aHigherFloorNeedsAnotherEncoderAndALowerOneAtTheNextKeyFrame() {
        let (low, high) = (settings(.kilobitsPerSecond(1), floor: 12), settings(.kilobitsPerSecond(1), floor: 25))
        #expect(!low.serves(high, isKeyFrame: false))
        #expect(high.serves(low, isKeyFrame: false))
        #expect(!high.serves(low, isKeyFrame: true))
    }

    @Test func theQPOfARateIsNeverZero() {
        #expect(settings(.kilobitsPerSecond(1), least: 0).leastQP == 1)
        #expect(settings(.kilobitsPerSecond(1)).leastQP == 12)
    }
}
