internal import NaluBase

/// Audio blocks that wait for the audio callback: a ring of at most one second. Adding and removing a block allocates
/// nothing.
struct AudioQueue: Sendable {
    /// The description of one block; its samples are in the ring.
    struct Block: Sendable {
        var frameCount: Int
        /// The host time of the first audio frame, in nanoseconds.
        var time: Int64
        var isDiscontinuous: Bool
    }

    let format: CaptureAudioFormat
    private var ring: [Float]
    private var head = 0
    private var used = 0
    private var blocks: RingBuffer<Block>
    /// Whether the next block is discontinuous, as the first one is.
    private var nextIsDiscontinuous = true

    init(_ format: CaptureAudioFormat) {
        self.format = format
        ring = Array(repeating: 0, count: format.sampleRate * format.channelCount)
        blocks = RingBuffer(capacity: 256)
    }

    var isEmpty: Bool { blocks.isEmpty }

    /// Marks the next block discontinuous.
    mutating func markDiscontinuity() { nextIsDiscontinuous = true }

    /// Adds a block of at most ``CaptureAudioFormat/blockLimit`` audio frames. If there is no room, removes the oldest
    /// blocks. Returns the number of audio frames that are lost.
    mutating func append(_ samples: UnsafeBufferPointer<Float>, frameCount: Int, time: Int64) -> Int {
        let count = frameCount * format.channelCount
        guard count > 0, samples.count >= count, frameCount <= format.blockLimit else { return frameCount }
        var lost = 0
        while ring.count - used < count, let oldest = blocks.popFirst() {
            lost += oldest.frameCount
            drop(oldest)
            if blocks.isEmpty { nextIsDiscontinuous = true } else { blocks[0]?.isDiscontinuous = true }
        }
        let tail = (head + used) % ring.count
        let first = min(count, ring.count - tail)
        for index in 0..<first { unsafe ring[tail + index] = samples[index] }
        for index in first..<count { unsafe ring[index - first] = samples[index] }
        used += count
        blocks.append(Block(frameCount: frameCount, time: time, isDiscontinuous: nextIsDiscontinuous))
        nextIsDiscontinuous = false
        return lost
    }

    /// Removes the oldest block and copies its samples to `target`, which has room for a block.
    mutating func popFirst(into target: UnsafeMutableBufferPointer<Float>) -> Block? {
        guard let block = blocks.popFirst() else { return nil }
        let count = min(block.frameCount * format.channelCount, target.count)
        for index in 0..<count { unsafe target[index] = ring[(head + index) % ring.count] }
        drop(block)
        return block
    }

    private mutating func drop(_ block: Block) {
        let count = block.frameCount * format.channelCount
        head = (head + count) % ring.count
        used -= count
    }
}
