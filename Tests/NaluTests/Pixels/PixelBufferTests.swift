import Synchronization
import Testing

@testable import Nalu

@Suite struct PixelBufferTests {
    @Test(arguments: PixelFormat.supported)
    func `a new buffer has aligned planes that can be written to their end`(format: PixelFormat) throws {
        let buffer = try PixelBuffer(format: format, width: 61, height: 35)
        #expect(buffer.width == 61 && buffer.height == 35 && buffer.format == format)
        for plane in 0..<buffer.planeCount {
            let address = try #require(buffer.planeBaseAddress(plane))
            #expect(UInt(bitPattern: address) % 64 == 0)
            #expect(buffer.planeStride(plane) % 64 == 0)
            #expect(buffer.planeWidth(plane) == (plane == 0 ? 61 : format.chromaColumns == 2 ? 31 : 61))
            #expect(buffer.planeHeight(plane) == (plane == 0 ? 35 : format.chromaRows == 2 ? 18 : 35))
            buffer.withPlaneBytes(plane) { bytes in
                for index in bytes.indices { bytes[index] = UInt8(plane) }
            }
        }
        for plane in 0..<buffer.planeCount {
            #expect(buffer.withPlaneBytes(plane) { $0.allSatisfy { $0 == UInt8(plane) } })
        }
        for plane in [-1, buffer.planeCount, .max] {
            #expect(buffer.planeBaseAddress(plane) == nil)
            #expect(buffer.planeStride(plane) == 0 && buffer.planeWidth(plane) == 0 && buffer.planeHeight(plane) == 0)
            #expect(buffer.withPlaneBytes(plane) { $0.count } == 0)
        }
    }

    @Test func `sizes and formats out of range are refused`() {
        #expect(throws: NaluError(.invalidSize, "width is 0 pixels; expected 1 to 16384")) {
            try PixelBuffer(format: .bgra, width: 0, height: 8)
        }
        #expect(throws: NaluError(.invalidSize, "height is -1 pixels; expected 1 to 16384")) {
            try PixelBufferPool(format: .bgra, width: 8, height: -1)
        }
        #expect { try PixelBuffer(format: PixelFormat(rawValue: 1), width: 8, height: 8) } throws: { error in
            (error as? NaluError)?.status == .invalidPixelFormat
        }
    }

    @Test func `a wrapping buffer keeps the caller's pointers and calls back once, at the end`() throws {
        let frame = try TestFrame(.nv12, 7, 5, padding: 9)
        let releases = Mutex(0)
        withExtendedLifetime(frame) {
            var first: PixelBuffer? = PixelBuffer(wrapping: frame.view) { releases.withLock { $0 += 1 } }
            let second = first
            #expect(first?.planeBaseAddress(1) == frame.view.plane(1).baseAddress)
            #expect(first?.planeStride(1) == 17)
            first = nil
            #expect(releases.withLock { $0 } == 0)
            withExtendedLifetime(second) {}
        }
        #expect(releases.withLock { $0 } == 1)
    }

    @Test func `a C callback gets its refcon, once`() throws {
        let frame = try TestFrame(.gray8, 4, 4)
        var calls = 0
        withUnsafeMutablePointer(to: &calls) { calls in
            var buffer: PixelBuffer? = PixelBuffer(
                wrapping: frame.view,
                release: { refcon in refcon?.assumingMemoryBound(to: Int.self).pointee += 1 },
                refcon: UnsafeMutableRawPointer(calls))
            #expect(buffer != nil && calls.pointee == 0)
            buffer = nil
            #expect(calls.pointee == 1)
        }
        _ = PixelBuffer(wrapping: frame.view, release: nil, refcon: nil)
    }

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
    @Test func `memory that comes back is handed out again`() throws {
        let pool = try PixelBufferPool(format: .nv12, width: 64, height: 48)
        var buffer: PixelBuffer? = try pool.makeBuffer()
        let address = buffer?.planeBaseAddress(0)
        #expect(buffer?.width == 64 && buffer?.height == 48 && buffer?.format == .nv12)
        buffer = nil
        buffer = try pool.makeBuffer()
        #expect(buffer?.planeBaseAddress(0) == address)
        let other = try pool.makeBuffer()
        #expect(other.planeBaseAddress(0) != address)
    }

    @Test func `the limit counts living buffers`() throws {
        let pool = try PixelBufferPool(format: .bgra, width: 8, height: 8, maximumBufferCount: 2)
        let first = try pool.makeBuffer()
        var second: PixelBuffer? = try pool.makeBuffer()
        #expect(throws: NaluError(.wouldBlock, "all 2 buffers that maximum_buffer_count allows are alive")) {
            try pool.makeBuffer()
        }
        withExtendedLifetime(second) {}
        second = nil
        let third = try pool.makeBuffer()
        #expect(throws: NaluError.self) { try pool.makeBuffer() }
        withExtendedLifetime((first, third)) {}
    }

    @Test(arguments: [-1, 4097])
    func `a limit out of range is refused`(limit: Int) {
        let sentence = "maximum_buffer_count is \(limit); expected 1 to 4096, or 0 for no limit"
        #expect(throws: NaluError(.outOfRange, sentence)) {
            try PixelBufferPool(format: .bgra, width: 8, height: 8, maximumBufferCount: limit)
        }
    }

    @Test func `buffers outlive their pool`() throws {
        var pool: PixelBufferPool? = try PixelBufferPool(format: .bgra, width: 33, height: 8)
        let buffer = try #require(try pool?.makeBuffer())
        _ = try pool?.makeBuffer()
        pool = nil
        buffer.withPlaneBytes(0) { _ = $0.initializeMemory(as: UInt8.self, repeating: 7) }
        #expect(buffer.withPlaneBytes(0) { $0.allSatisfy { $0 == 7 } })
    }

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
