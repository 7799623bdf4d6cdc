/// The coded picture buffer of a channel with a constant bit rate (ITU-T H.264 Annex C). Bits arrive without a pause,
/// and each picture removes its bits at its decode time.
///
/// The encoder models the same buffer. It writes filler data in place of bits that would overflow, and lets the buffer
/// underflow only if a picture cannot be made small enough.
struct ConstantChannel: Sendable {
    /// The fullness at the beginning, as a fraction, if the bits arrive with time: the encoder's own default.
    private static let initial = 0.9
    /// The seconds of the rate by which a picture may be too large. Encoders sometimes miss their target by some bits.
    private static let tolerance = 0.001
    /// The fraction by which bits arrive faster here, so that an excess decays: the encoder does not compensate for one.
    private static let forgiveness = 0.001

    /// Bits per second.
    let rate: Double
    /// The size of the buffer in bits.
    let capacity: Double
    let frameSeconds: Double
    /// Whether each frame adds its share of bits, whatever its time. If false, the bits arrive with time.
    let countsFrames: Bool

    private var bits: Double?
    private var last: Double?
    /// Bits of dropped pictures. The encoder counts these bits as sent, so it writes no filler data in their place.
    private var dropped = 0.0
    /// Bits that arrived while the buffer was full, since the last picture.
    private var idle = 0.0

    init(rate: Double, capacity: Double, frameSeconds: Double, countsFrames: Bool) {
        self.rate = rate
        self.capacity = capacity
        self.frameSeconds = frameSeconds
        self.countsFrames = countsFrames
    }

    /// Adds the bits that arrive until a decode time, in seconds. Call it once for each picture.
    mutating func advance(to time: Double) {
        if let bits {
            var seconds = frameSeconds
            if !countsFrames, let last, time > last { seconds = time - last }
            // More than a second of idle bits would make the next picture late.
            idle = min(idle + max(0, bits + rate * seconds - capacity), rate)
            self.bits = min(bits + rate * seconds * (1 + Self.forgiveness), capacity)
        } else {
            bits = initialBits
        }
        last = time.isFinite ? time : nil
    }

    /// Whether a picture of that size may be removed now.
    ///
    /// A key frame larger than the entire buffer would never fit. It may be removed from a full buffer. Nothing else
    /// may be removed until the channel has carried it.
    func hasRoom(bits size: Double, isKeyFrame: Bool) -> Bool {
        let bits = bits ?? initialBits
        return size <= bits + rate * Self.tolerance || isKeyFrame && size > capacity && bits >= capacity
    }

    /// Removes a delivered picture. The encoder's filler keeps the buffer from overflowing, except for dropped
    /// pictures.
    ///
    /// - Returns: the bits of filler data that the channel must carry with this picture in place of dropped pictures.
    @discardableResult
    mutating func take(bits size: Double) -> Double {
        bits = (bits ?? initialBits) - size
        let filler = min(idle, dropped)
        dropped -= filler
        idle = 0
        return filler
    }

    /// Notes a dropped picture.
    mutating func drop(bits size: Double) {
        dropped += size
    }

    private var initialBits: Double {
        countsFrames ? capacity : max(capacity * Self.initial, min(rate * frameSeconds, capacity))
    }

    /// The fullness at the next frame, one frame duration after the last, as a fraction; nil at the beginning.
    var fill: Double? {
        bits.map { min(max(($0 + rate * frameSeconds) / capacity, 0), 1) }
    }
}
