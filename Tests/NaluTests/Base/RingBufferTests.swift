import Testing

@testable import Nalu

/// A queue, compared with an array.
@Suite struct RingBufferTests {
    @Test(arguments: [-3, 0, 1, 2, 5, 64])
    func aRingBufferBehavesLikeAnArray(capacity: Int) {
        var random = TestRandom(seed: UInt64(capacity + 10))
        var ring = RingBuffer<Int>(capacity: capacity)
        var array: [Int] = []
        for step in 0..<3000 {
            // The queue grows and shrinks alternately.
            if Int.random(in: 0..<10, using: &random) < (step / 300 % 2 == 0 ? 7 : 3) {
                ring.append(step)
                array.append(step)
            } else {
                #expect(ring.popFirst() == (array.isEmpty ? nil : array.removeFirst()))
            }
            #expect(ring.count == array.count && ring.isEmpty == array.isEmpty)
            let offset = Int.random(in: -2..<array.count + 3, using: &random)
            #expect(ring[offset] == (array.indices.contains(offset) ? array[offset] : nil))
            if array.indices.contains(offset) {
                ring[offset] = -step
                array[offset] = -step
            } else {
                ring[offset] = -step
            }
        }
        while let element = ring.popFirst() { #expect(element == array.removeFirst()) }
        #expect(array.isEmpty)
    }

    @Test func removedElementsAreReleased() {
        let counter = LifeCounter()
        var ring = RingBuffer<LifeCounter.Life>(capacity: 2)
        for _ in 0..<9 { ring.append(counter.make()) }
        for left in (0..<9).reversed() {
            _ = ring.popFirst()
            #expect(counter.count == left)
        }
    }
}
