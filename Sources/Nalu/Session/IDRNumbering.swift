/// Sees to it that an IDR picture has another `idr_pic_id` than the one right before it, where the one before is of
/// another encoder: each encoder begins at 0, and changes between 0 and 1.
struct IDRNumbering {
    /// Numbers whose code is 8 bits longer than that of 0, so that what follows keeps its place in the bytes: macroblocks of
    /// type I_PCM are aligned to them.
    private static let short = 15...30
    /// The same for 24 bits.
    private static let long = 4095...8190

    /// The session's stream follows that of another session.
    private let followsAnother: Bool
    private var isFirstOfSession = true
    private var isFirstOfEncoder = true
    private var lastWasIDR = false
    private var alternate = short.lowerBound

    init(followsAnother: Bool) {
        self.followsAnother = followsAnother
    }

    mutating func encoderWasOpened() {
        isFirstOfEncoder = true
    }

    /// A picture that came out is not delivered: the encoder's own numbers may no longer differ in turn.
    mutating func pictureWasDropped() {
        isFirstOfEncoder = true
    }

    /// The number that the picture is to have instead of 0; nil: it keeps its own.
    mutating func number(isKeyFrame: Bool, time: MediaTime) -> Int? {
        defer {
            isFirstOfSession = false
            isFirstOfEncoder = false
            lastWasIDR = isKeyFrame
        }
        guard isKeyFrame, isFirstOfEncoder else { return nil }
        if isFirstOfSession {
            return followsAnother ? Self.number(at: time) : nil
        }
        guard lastWasIDR else { return nil }
        alternate = Self.short.lowerBound + Self.short.lowerBound + 1 - alternate
        return alternate
    }

    /// Differs from that of a session whose first picture is 1 ms to 4 s away, should it be its only one.
    private static func number(at time: MediaTime) -> Int {
        let milliseconds = time.converted(toTimescale: 1000)
        let count = Self.long.count
        let place = milliseconds.isNumeric ? Int(milliseconds.value % Int64(count)) : 0
        return Self.long.lowerBound + (place + count) % count
    }
}
