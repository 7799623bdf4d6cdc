/// Assigns an IDR picture another `idr_pic_id` than that of the IDR picture right before it, if the two are of
/// different encoders. Each encoder begins at 0, and alternates between 0 and 1; otherwise every IDR picture gets another
/// number.
struct IDRNumbering {
    /// Numbers whose code is 8 bits longer than that of 0. The data after them keep their position within bytes, to
    /// which macroblocks of type I_PCM are aligned.
    private static let short = 15...30
    /// Numbers whose code is 24 bits longer than that of 0.
    private static let long = 4095...8190

    /// Whether the session's stream follows that of another session.
    private let followsAnother: Bool
    let encoderAlternates: Bool
    private var isFirstOfSession = true
    private var isFirstOfEncoder = true
    private var lastWasIDR = false
    private var alternate = short.lowerBound

    init(followsAnother: Bool, encoderAlternates: Bool = true) {
        self.followsAnother = followsAnother
        self.encoderAlternates = encoderAlternates
    }

    mutating func encoderWasOpened() {
        isFirstOfEncoder = true
    }

    /// Notes that a picture is not delivered. The encoder's own numbers may no longer alternate.
    mutating func pictureWasDropped() {
        isFirstOfEncoder = true
    }

    /// Returns the number that replaces the picture's own; nil to keep it.
    mutating func number(isKeyFrame: Bool, time: MediaTime) -> Int? {
        defer {
            isFirstOfSession = false
            isFirstOfEncoder = false
            lastWasIDR = isKeyFrame
        }
        guard isKeyFrame, isFirstOfEncoder || !encoderAlternates else { return nil }
        if isFirstOfSession {
            return followsAnother ? Self.number(at: time) : nil
        }
        guard lastWasIDR || !encoderAlternates else { return nil }
        alternate = Self.short.lowerBound + Self.short.lowerBound + 1 - alternate
        return alternate
    }

    /// Returns a number that differs from that of a neighbouring session, whose first picture is 1 ms to 4 s away. This
    /// holds even if that session has only one picture.
    private static func number(at time: MediaTime) -> Int {
        let milliseconds = time.converted(toTimescale: 1000)
        let count = Self.long.count
        let place = milliseconds.isNumeric ? Int(milliseconds.value % Int64(count)) : 0
        return Self.long.lowerBound + (place + count) % count
    }
}
