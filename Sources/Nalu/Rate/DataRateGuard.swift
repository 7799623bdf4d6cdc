/// Keeps the promises of DataRateLimits and ConstantBitRate if the encoder does not. A picture is not delivered if it
/// would take a window over its limit, or if the channel has no bits for it. Pictures that cannot be decoded without it
/// are not delivered either.
///
/// A window contains frames that were passed under the same limits: after a change of the limits, windows restart. The
/// fullest windows begin with a sample.
struct DataRateGuard {
    private struct Entry {
        let time: Double
        let bytes: Double
        let limits: FrameLimits
    }

    /// The channel; nil without ConstantBitRate.
    private(set) var channel: ConstantChannel?
    /// The delivered pictures that begin a window which has not ended.
    private var delivered = RingBuffer<Entry>(capacity: 64)
    /// Whether a reference picture is missing, so that nothing can be decoded before the next key frame.
    private(set) var waitsForKeyFrame = false
    /// The number of the requested key frame, until it is delivered.
    private var asked: UInt64?

    /// The bytes of filler data that follow the last admitted picture.
    private(set) var fillerBytes = 0

    /// The limits at the seams of the chunk; nil if the clip has no other chunks.
    private var seams: SeamGuard?
    /// Whether the encoder forgets a picture that is not delivered, so that no later picture refers to it.
    private let forgetsPictures: Bool

    init(channel: ConstantChannel? = nil, seams: SeamGuard? = nil, forgetsPictures: Bool = false) {
        self.channel = channel
        self.seams = seams
        self.forgetsPictures = forgetsPictures
    }

    /// Whether the frame that is passed now must be a key frame. Call it once a frame.
    mutating func mustBeKey(number: UInt64) -> Bool {
        guard waitsForKeyFrame, asked == nil else { return false }
        asked = number
        return true
    }

    /// Whether the picture is to be delivered. `time` is its decode time in seconds.
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

    /// Notes that the encoder itself has left out a frame. If that was the requested key frame, another one is requested.
    mutating func encoderDropped(_ number: UInt64) {
        if asked == number { asked = nil }
    }

    /// Notes that all frames inside the encoder were returned, and that the next frame starts again.
    mutating func encoderWasOpened() {
        waitsForKeyFrame = false
        asked = nil
    }

    /// Whether all windows that reach up to the entry can hold it. Reordering mixes frames from before and after a
    /// change.
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

    /// Removes the windows that have ended, or all windows if the client's clock has restarted.
    private mutating func forget(before time: Double) {
        if let last = delivered[delivered.count - 1], last.time > time {
            while delivered.popFirst() != nil {}
        }
        while let first = delivered[0], first.limits.limits.allSatisfy({ !$0.reaches(from: first.time, to: time) }) {
            _ = delivered.popFirst()
        }
    }
}
