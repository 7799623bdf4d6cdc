/// Keeps the promises of DataRateLimits and ConstantBitRate where the encoder does not: a picture that would take a window
/// over its limit, or that the channel has no bits for, is not delivered, and neither is what cannot be decoded without
/// it.
///
/// Windows hold frames that were handed in under the same limits: after a change they begin again. The fullest ones
/// begin with a sample.
struct DataRateGuard {
    private struct Entry {
        let time: Double
        let bytes: Double
        let limits: FrameLimits
    }

    /// nil without ConstantBitRate.
    private(set) var channel: ConstantChannel?
    /// What was delivered and begins a window that has not ended.
    private var delivered = RingBuffer<Entry>(capacity: 64)
    /// A picture that others refer to is missing: nothing can be decoded before the next key frame.
    private(set) var waitsForKeyFrame = false
    /// The key frame that was asked for, until it has come out.
    private var asked: UInt64?

    /// Bytes of filler data that the picture admitted last has to bring along.
    private(set) var fillerBytes = 0

    /// nil where the clip has no other parts.
    private var seams: SeamGuard?
    /// The encoder forgets a picture that is not delivered, so that no later one refers to it.
    private let forgetsPictures: Bool

    init(channel: ConstantChannel? = nil, seams: SeamGuard? = nil, forgetsPictures: Bool = false) {
        self.channel = channel
        self.seams = seams
        self.forgetsPictures = forgetsPictures
    }

    /// Must the frame that is handed in now be a key frame? Asked once a frame.
    mutating func mustBeKey(number: UInt64) -> Bool {
        guard waitsForKeyFrame, asked == nil else { return false }
        asked = number
        return true
    }

    /// Is the picture to be delivered? `time`: its decode time in seconds.
    mutating func admits(
        number: UInt64, bytes: Int, time: Double, isKeyFrame: Bool, isReference: Bool, limits: FrameLimits
    ) -> Bool {
        if asked == number { asked = nil }
        forget(before: time)
        channel?.advance(to: time)
        seams?.advance(to: time, since: limits.since)
        let hasRoom = channel?.hasRoom(bits: Double(bytes) * 8, isKeyFrame: isKeyFrame) ?? true
        guard !limits.limits.isEmpty || waitsForKeyFrame || !hasRoom else {
            fillerBytes = Int((channel?.take(bits: Double(bytes) * 8) ?? 0) / 8)
            return true
        }
        let entry = Entry(time: time, bytes: Double(bytes), limits: limits)
        if hasRoom && fits(entry) && (isKeyFrame || !waitsForKeyFrame) {
            fillerBytes = Int((channel?.take(bits: Double(bytes) * 8) ?? 0) / 8)
            seams?.note(bytes: entry.bytes)
            waitsForKeyFrame = false
            delivered.append(entry)
            return true
        }
        channel?.drop(bits: Double(bytes) * 8)
        if isReference && !forgetsPictures { waitsForKeyFrame = true }
        return false
    }

    /// All frames inside the encoder were given back: the next one begins again.
    mutating func encoderWasOpened() {
        waitsForKeyFrame = false
        asked = nil
    }

    /// Whether all windows that reach up to it hold it. Reordering mixes frames from before and after a change.
    private func fits(_ entry: Entry) -> Bool {
        var sum = entry.bytes
        guard seams?.holdsBeginning(entry.bytes, at: entry.time, entry.limits.limits) != false,
            holds(sum, from: entry, until: entry.time)
        else { return false }
        var index = delivered.count - 1
        while let beginning = delivered[index] {
            index -= 1
            guard beginning.limits.since == entry.limits.since else { continue }
            sum += beginning.bytes
            guard holds(sum, from: beginning, until: entry.time) else { return false }
        }
        return true
    }

    private func holds(_ bytes: Double, from beginning: Entry, until time: Double) -> Bool {
        beginning.limits.limits.allSatisfy { limit in
            !limit.reaches(from: beginning.time, to: time)
                || bytes <= limit.bytes
                    && seams?.holdsStretch(bytes, in: time - beginning.time, limit) != false
        }
    }

    /// Windows that have ended; all of them when the client's clock begins again.
    private mutating func forget(before time: Double) {
        if let last = delivered[delivered.count - 1], last.time > time {
            while delivered.popFirst() != nil {}
        }
        while let first = delivered[0], first.limits.limits.allSatisfy({ !$0.reaches(from: first.time, to: time) }) {
            _ = delivered.popFirst()
        }
    }
}
