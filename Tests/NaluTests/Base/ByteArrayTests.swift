import Testing

@testable import Nalu

/// Byte arrays that a closure fills.
@Suite struct ByteArrayTests {
    @Test func anArrayHasTheBytesThatWereWritten() {
        let bytes = [UInt8](capacity: 5) { buffer in
            #expect(buffer.count == 5)
            buffer.copyBytes(from: [1, 2, 3])
            return 3
        }
        #expect(bytes == [1, 2, 3])
        #expect([UInt8](capacity: 5) { _ in 0 } == [])
    }

    @Test func whatWasReadIsAppended() {
        var bytes: [UInt8] = [7]
        let count = bytes.append(capacity: 4) { buffer in
            #expect(buffer.count == 4)
            buffer.copyBytes(from: [1, 2])
            return 2
        }
        #expect(count == 2)
        #expect(bytes.append(capacity: 4) { _ in -5 } == -5)
        #expect(bytes == [7, 1, 2])
    }

    /// ThreadSanitizer reports that the standard library's initializer writes to the shared empty array.
    @Test func theEmptyArrayIsReadOnly() {
        let threads = (0..<4).map { _ in
            TestThread {
                for _ in 0..<2000 {
                    #expect([UInt8](capacity: 0) { $0.count }.isEmpty)
                }
            }
        }
        #expect(threads.allSatisfy { $0.join() })
    }
}
