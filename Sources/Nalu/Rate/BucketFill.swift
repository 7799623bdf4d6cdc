/// How much the encoder's leaky bucket holds, by what came out. An encoder that is opened again goes on from there:
/// with a full bucket each time, clients that empty the encoder often would get more than their rate.
struct BucketFill {
    /// Of the bucket, at the beginning: x264's own default.
    static let initial = 0.9
    /// x264 needs some bits for the key frame that it begins with.
    private static let least = 0.1

    private var bits: Double?
    private var last: Double?

    /// A sample came out at that decode time. `rate`: bits that flow in a second; `size`: bits that the bucket holds.
    mutating func note(bits spent: Double, time: Double, rate: Double, size: Double) {
        var bits = self.bits ?? size * Self.initial
        if let last, time > last { bits += rate * (time - last) }
        bits = min(bits, size) - spent
        self.bits = max(bits, 0)
        last = time.isFinite ? time : nil
    }

    /// The part of a bucket of that size that is full at the next frame, which comes a frame's time after the last.
    func part(of size: Double, frameSeconds: Double, rate: Double) -> Double? {
        guard let bits, size > 0 else { return nil }
        return min(max((bits + rate * frameSeconds) / size, Self.least), Self.initial)
    }
}
