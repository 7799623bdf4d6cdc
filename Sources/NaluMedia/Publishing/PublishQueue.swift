internal import NaluBase
private import NaluLibc

/// The bytes that wait for the publisher's thread, and the samples that the receiver has not acknowledged.
struct PublishQueue {
    /// The bytes of one sample, as the container has them.
    struct Entry {
        let size: Int
        /// The time of handing in, in seconds.
        let time: Double
        /// The sample's LTR token; -1 for none.
        let token: Int64
        let isVideo: Bool
    }

    /// A sample that the publisher's thread has taken, with the number of bytes up to its end.
    private struct Flight {
        let end: Int
        let entry: Entry
    }

    private var ring = [UInt8](repeating: 0, count: 65536)
    private var head = 0
    private var waiting = RingBuffer<Entry>(capacity: 64)
    private var flying = RingBuffer<Flight>(capacity: 256)
    /// The bytes in the ring.
    private(set) var waitingBytes = 0
    /// The bytes that the publisher's thread has taken.
    private(set) var takenBytes = 0
    /// The token of the last sample in the queue or before it; -1 if none has a token.
    private(set) var lastToken: Int64 = -1
    /// The token of the last sample that the publisher's thread has taken; -1 if none has a token. The sample arrives
    /// before every later one, or the connection ends.
    private(set) var takenToken: Int64 = -1

    var isEmpty: Bool { waiting.isEmpty }
    var waitingCount: Int { waiting.count }
    /// The number of video samples that wait.
    private(set) var waitingFrames = 0

    /// The time at which the oldest sample that is not acknowledged was handed in; nil if there is none.
    var oldestTime: Double? { flying[0]?.entry.time ?? waiting[0]?.time }
    /// The time at which the oldest sample that waits was handed in.
    var oldestWaitingTime: Double? { waiting[0]?.time }

    /// Adds a sample. `header` precedes its bytes.
    mutating func append(_ entry: Entry, _ bytes: [UInt8], header: [UInt8] = []) {
        waiting.append(entry)
        if entry.isVideo { waitingFrames += 1 }
        put(header)
        put(bytes)
        if entry.token >= 0 { lastToken = entry.token }
    }

    private mutating func put(_ bytes: [UInt8]) {
        if waitingBytes + bytes.count > ring.count { grow(to: waitingBytes + bytes.count) }
        let start = (head + waitingBytes) % ring.count
        let first = min(bytes.count, ring.count - start)
        Self.copy(bytes, 0, first, to: &ring, start)
        Self.copy(bytes, first, bytes.count - first, to: &ring, 0)
        waitingBytes += bytes.count
    }

    private mutating func grow(to size: Int) {
        var larger = [UInt8](repeating: 0, count: max(2 * ring.count, size))
        let first = min(waitingBytes, ring.count - head)
        Self.copy(ring, head, first, to: &larger, 0)
        Self.copy(ring, 0, waitingBytes - first, to: &larger, first)
        ring = larger
        head = 0
    }

    private static func copy(_ source: [UInt8], _ from: Int, _ count: Int, to target: inout [UInt8], _ place: Int) {
        guard count > 0 else { return }
        unsafe source.withUnsafeBytes { source in
            unsafe target.withUnsafeMutableBytes { target in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[place..<place + count]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: source[from..<from + count]))
            }
        }
    }

    /// Moves the bytes of the next sample to the beginning of `buffer`. Returns their number; nil if nothing waits.
    mutating func take(into buffer: inout [UInt8]) -> Int? {
        guard let entry = waiting.popFirst() else { return nil }
        if buffer.count < entry.size { buffer = [UInt8](repeating: 0, count: entry.size + entry.size / 2) }
        let first = min(entry.size, ring.count - head)
        Self.copy(ring, head, first, to: &buffer, 0)
        Self.copy(ring, 0, entry.size - first, to: &buffer, first)
        head = (head + entry.size) % ring.count
        waitingBytes -= entry.size
        if entry.isVideo { waitingFrames -= 1 }
        if entry.token >= 0 { takenToken = entry.token }
        takenBytes += entry.size
        flying.append(Flight(end: takenBytes, entry: entry))
        return entry.size
    }

    /// Removes the samples that end within the first `bytes` taken bytes.
    mutating func acknowledge(_ bytes: Int) {
        while let first = flying[0], first.end <= bytes { _ = flying.popFirst() }
    }

    /// Removes the samples that wait. Returns the number of video samples among them.
    mutating func dropWaiting() -> Int {
        let dropped = waitingFrames
        while waiting.popFirst() != nil {}
        head = 0
        (waitingBytes, waitingFrames) = (0, 0)
        lastToken = takenToken
        return dropped
    }

    /// Forgets everything, for a new connection. Returns the number of video samples that were not acknowledged.
    mutating func restart() -> Int {
        var dropped = dropWaiting()
        while let flight = flying.popFirst() {
            if flight.entry.isVideo { dropped += 1 }
        }
        takenBytes = 0
        lastToken = -1
        takenToken = -1
        return dropped
    }
}
