internal import FoundationEssentials
internal import NaluBase

/// The messages that wait for one viewer, within bounds of time and memory.
///
/// A viewer that reads too slowly loses all waiting samples, and receives none until the next key frame. Samples are
/// never dropped one by one, because later samples refer to them.
struct ViewerQueue: Sendable {
    /// The longest time in seconds that a sample waits.
    static let longestWait = 0.4
    /// The most bytes of waiting samples. An empty queue accepts a sample of any size.
    static let mostBytes = 4 << 20
    /// The most waiting messages that are not samples.
    static let mostMessages = 64

    struct SampleFrame: Sendable {
        let bytes: Data
        let isKeyFrame: Bool
        /// The host time in seconds at which the frame was queued.
        let time: Double
    }

    private var samples = RingBuffer<SampleFrame>(capacity: 32)
    private var sampleBytes = 0
    private var messages = RingBuffer<Data>(capacity: 8)
    /// True if only a key frame can be queued.
    private(set) var needsKeyFrame = true
    /// The number of samples that were dropped, including those before the first key frame.
    private(set) var lost = 0

    var isEmpty: Bool { samples.isEmpty && messages.isEmpty }
    var count: Int { samples.count }

    /// Queues a sample. Returns false if the viewer needs a key frame, because it is new or has become too slow.
    mutating func append(_ sample: SampleFrame) -> Bool {
        let isLate = samples[0].map { sample.time - $0.time > Self.longestWait } ?? false
        if isLate || !samples.isEmpty && sampleBytes + sample.bytes.count > Self.mostBytes {
            lost += samples.count
            removeSamples()
            needsKeyFrame = true
        }
        if needsKeyFrame, !sample.isKeyFrame {
            lost += 1
            return false
        }
        needsKeyFrame = false
        samples.append(sample)
        sampleBytes += sample.bytes.count
        return true
    }

    /// Queues a message. A message beyond ``mostMessages`` is dropped.
    mutating func append(message: Data) {
        if messages.count < Self.mostMessages { messages.append(message) }
    }

    /// Removes the next frame: messages before samples.
    mutating func popFirst() -> Data? {
        if let message = messages.popFirst() { return message }
        guard let sample = samples.popFirst() else { return nil }
        sampleBytes -= sample.bytes.count
        return sample.bytes
    }

    /// Removes all samples. Only a key frame can follow.
    mutating func restart() {
        removeSamples()
        needsKeyFrame = true
    }

    private mutating func removeSamples() {
        while samples.popFirst() != nil {}
        sampleBytes = 0
    }
}
