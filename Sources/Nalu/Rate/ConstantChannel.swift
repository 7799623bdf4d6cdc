/// What a channel of a constant bit rate carries: the coded picture buffer of ITU-T H.264 Annex C, into which bits flow
/// without a pause, and out of which each picture takes its own at its decode time.
///
/// The encoder holds the same buffer, fills up what would overflow, and starves it only where a picture cannot be made
/// small enough.
struct ConstantChannel: Sendable {
    /// Of the capacity, at the beginning, where the bits come with time: x264's own default.
    private static let initial = 0.9
    /// Seconds of the rate by which a picture may be too large: x264 misses its aim by some bits at times.
    private static let tolerance = 0.001
    /// What x264 went over by is forgotten this slowly, of the rate: x264 itself does not make up for it.
    private static let forgiveness = 0.001

    /// Bits a second.
    let rate: Double
    /// Bits that the buffer holds.
    let capacity: Double
    let frameSeconds: Double
    /// Each frame brings its share, whenever it comes; else the bits come with time.
    let countsFrames: Bool

    private var bits: Double?
    private var last: Double?
    /// Bits of dropped pictures, which the encoder counts as sent: it does not fill up for them.
    private var dropped = 0.0
    /// Bits that found the buffer full since the last picture.
    private var idle = 0.0

    init(rate: Double, capacity: Double, frameSeconds: Double, countsFrames: Bool) {
        self.rate = rate
        self.capacity = capacity
        self.frameSeconds = frameSeconds
        self.countsFrames = countsFrames
    }

    /// Bits flow in until that decode time, in seconds; asked once for each picture.
    mutating func advance(to time: Double) {
        if let bits {
            var seconds = frameSeconds
            if !countsFrames, let last, time > last { seconds = time - last }
            // More than a second of it would make the next picture late.
            idle = min(idle + max(0, bits + rate * seconds - capacity), rate)
            self.bits = min(bits + rate * seconds * (1 + Self.forgiveness), capacity)
        } else {
            bits = initialBits
        }
        last = time.isFinite ? time : nil
    }

    /// Whether a picture of that many bits may be taken out now.
    ///
    /// A key frame that is larger than the whole buffer would never come. It may be taken out of a full one; nothing else
    /// may until the channel has carried it.
    func hasRoom(bits size: Double, isKeyFrame: Bool) -> Bool {
        let bits = bits ?? initialBits
        return size <= bits + rate * Self.tolerance || isKeyFrame && size > capacity && bits >= capacity
    }

    /// A picture is delivered. What the encoder fills up keeps the buffer from overflowing, but for pictures that were dropped.
    ///
    /// - Returns: the bits of filler data that the channel has to carry with this picture in their place.
    @discardableResult
    mutating func take(bits size: Double) -> Double {
        bits = (bits ?? initialBits) - size
        let filler = min(idle, dropped)
        dropped -= filler
        idle = 0
        return filler
    }

    /// A picture is dropped.
    mutating func drop(bits size: Double) {
        dropped += size
    }

    private var initialBits: Double {
        countsFrames ? capacity : max(capacity * Self.initial, min(rate * frameSeconds, capacity))
    }

    /// The part that is full at the next frame, which comes a frame's time after the last; nil at the beginning.
    var fill: Double? {
        bits.map { min(max(($0 + rate * frameSeconds) / capacity, 0), 1) }
    }
}
