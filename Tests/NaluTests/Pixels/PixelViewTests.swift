import Testing

@testable import Nalu

@Suite struct PixelViewTests {
    @Test func `each plane needs a stride`() {
        #expect(throws: NaluError(.parameter, "there are 0 strides for 1 planes")) {
            try PixelView.validated(
                format: .bgra, width: 1, height: 1, planes: [UnsafeRawBufferPointer(start: nil, count: 0)], strides: [])
        }
    }
}
