import Testing

@testable import Nalu

@Suite struct PixelBufferTests {
    @Test func `a copy has the same pixels in memory of its own`() throws {
        for format in PixelFormat.supported {
            let frame = try TestFrame(format, 9, 7, padding: 3, noise: 1)
            let copy = try withExtendedLifetime(frame) { try PixelBuffer(copying: frame.view) }
            let back = try TestFrame(format, 9, 7, padding: 5, margin: 16)
            withExtendedLifetime((copy, back)) { copy.view.copyPixels(to: back.view) }
            #expect(back.bytes == frame.bytes)
            #expect(back.isIntactOutside)
        }
    }
}

@Suite struct PixelBufferPoolTests {
    @Test func `several tasks share a pool`() async throws {
        let pool = try PixelBufferPool(format: .gray8, width: 16, height: 16, maximumBufferCount: 4)
        let served = await withTaskGroup(of: Int.self) { group in
            for task in 0..<4 {
                group.addTask {
                    (0..<500).count { _ in
                        guard let buffer = try? pool.makeBuffer() else { return false }
                        buffer.withPlaneBytes(0) { _ = $0.initializeMemory(as: UInt8.self, repeating: UInt8(task)) }
                        return buffer.withPlaneBytes(0) { $0.allSatisfy { $0 == UInt8(task) } }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(served == 2000)
    }
}
