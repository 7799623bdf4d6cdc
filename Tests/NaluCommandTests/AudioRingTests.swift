import Nalu
import NaluMedia
import Testing

@testable import NaluCommand

@Suite struct AudioRingTests {
    private static let rate = 1000

    /// A block whose left channel counts upwards from `first`, and whose right channel has the negative numbers.
    private func block(_ first: Int, _ count: Int, at milliseconds: Int64) -> DecodedAudioBlock {
        DecodedAudioBlock(
            time: MediaTime(value: milliseconds, timescale: 1000),
            frames: (first..<(first + count)).flatMap { [Float($0), -Float($0)] })
    }

    /// Reads frames, checks that the right channel belongs to the left one, and returns the left one and the time after it.
    private func read(
        _ ring: inout AudioRing, _ count: Int, from time: Double, rate: Double = 1
    ) -> (values: [Float], end: Double) {
        var values = [Float](repeating: .nan, count: 2 * count)
        let end = values.withUnsafeMutableBufferPointer { ring.read($0, from: time, rate: rate) }
        for index in 0..<count { #expect(values[2 * index] == -values[2 * index + 1]) }
        return ((0..<count).map { values[2 * $0] }, end)
    }

    @Test func `Blocks are read in one piece`() {
        var ring = AudioRing(sampleRate: Self.rate, seconds: 1)
        ring.append(block(1, 100, at: 5000))
        ring.append(block(101, 50, at: 5100))
        #expect(ring.count == 150)
        #expect((ring.end - 5.15).magnitude < 1e-9)
        let (values, end) = read(&ring, 120, from: 5.02)
        #expect(values == (21...140).map(Float.init))
        #expect((end - 5.14).magnitude < 1e-9)
        // The next buffer continues.
        #expect(read(&ring, 10, from: end).values == (141...150).map(Float.init))
    }

    @Test func `Times that are rounded leave no gap and no overlap`() {
        for difference: Int64 in [-2, -1, 0, 1, 2] {
            var ring = AudioRing(sampleRate: Self.rate, seconds: 1)
            ring.append(block(1, 10, at: 0))
            ring.append(block(11, 10, at: 10 + difference))
            #expect(read(&ring, 20, from: 0).values == (1...20).map(Float.init))
        }
    }

    @Test func `A gap is silent`() {
        var ring = AudioRing(sampleRate: Self.rate, seconds: 2)
        ring.append(block(1, 10, at: 0))
        ring.append(block(11, 10, at: 30))
        let silence = [Float](repeating: 0, count: 20)
        #expect(read(&ring, 40, from: 0).values == (1...10).map(Float.init) + silence + (11...20).map(Float.init))
    }

    @Test func `Frames that overlap are left out`() {
        var ring = AudioRing(sampleRate: Self.rate, seconds: 1)
        ring.append(block(1, 20, at: 0))
        ring.append(block(11, 20, at: 10))
        // Nothing of this block is new.
        ring.append(block(1, 5, at: 12))
        #expect(ring.count == 30)
        #expect(read(&ring, 30, from: 0).values == (1...30).map(Float.init))
    }

    @Test(arguments: [5000, -5000] as [Int64])
    func `A jump of more than a second begins anew`(jump: Int64) {
        var ring = AudioRing(sampleRate: Self.rate, seconds: 1)
        ring.append(block(1, 20, at: 10_000))
        ring.append(block(51, 20, at: 10_020 + jump))
        #expect(ring.count == 20)
        #expect((ring.start - Double(10_020 + jump) / 1000).magnitude < 1e-9)
        #expect(read(&ring, 20, from: ring.start).values == (51...70).map(Float.init))
    }

    @Test func `The oldest frames make room`() {
        var ring = AudioRing(sampleRate: Self.rate, seconds: 1)
        for number in 0..<25 { ring.append(block(1 + number * 100, 100, at: Int64(number * 100))) }
        #expect(ring.count == 1000)
        #expect((ring.start - 1.5).magnitude < 1e-6)
        #expect(read(&ring, 1000, from: ring.start).values == (1501...2500).map(Float.init))
    }

    @Test func `Frames that are missing are silent`() {
        var ring = AudioRing(sampleRate: Self.rate, seconds: 1)
        let (nothing, _) = read(&ring, 5, from: 3)
        #expect(nothing == [0, 0, 0, 0, 0])
        ring.append(block(1, 3, at: 3000))
        #expect(read(&ring, 7, from: 2.998).values == [0, 0, 1, 2, 3, 0, 0])
    }

    @Test func `Other rates are interpolated`() {
        var ring = AudioRing(sampleRate: Self.rate, seconds: 1)
        ring.append(block(0, 100, at: 0))
        let half = read(&ring, 10, from: 0, rate: 0.5)
        for index in 0..<10 { #expect((half.values[index] - Float(index) / 2).magnitude < 1e-4) }
        #expect((half.end - 0.005).magnitude < 1e-9)
        let double = read(&ring, 10, from: 0.01, rate: 2)
        for index in 0..<10 { #expect((double.values[index] - Float(10 + 2 * index)).magnitude < 1e-4) }
        #expect((double.end - 0.03).magnitude < 1e-9)
    }

    @Test func `An empty ring begins at the next block`() {
        var ring = AudioRing(sampleRate: Self.rate, seconds: 1)
        ring.append(block(1, 20, at: 100))
        ring.removeAll()
        #expect(ring.count == 0)
        ring.append(block(61, 20, at: 160))
        #expect(read(&ring, 20, from: 0.16).values == (61...80).map(Float.init))
    }
}
