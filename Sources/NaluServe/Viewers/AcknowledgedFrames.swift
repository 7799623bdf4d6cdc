/// The numbers of the last frames that a viewer has decoded, among the last 64.
struct AcknowledgedFrames: Sendable {
    private(set) var newest: UInt32?
    /// Bit `n` is set for the frame `newest - n`.
    private var bits: UInt64 = 0

    /// Adds a number. A number far ahead of `sent`, the last frame that was sent, is ignored.
    mutating func insert(_ number: UInt32, sent: UInt32) {
        guard sent &- number < 1 << 31 else { return }
        guard let newest else {
            (self.newest, bits) = (number, 1)
            return
        }
        let ahead = number &- newest
        if ahead < 1 << 31 {
            bits = ahead < 64 ? bits << UInt64(ahead) | 1 : 1
            self.newest = number
        } else if newest &- number < 64 {
            bits |= 1 << UInt64(newest &- number)
        }
    }

    func contains(_ number: UInt32) -> Bool {
        guard let newest, newest &- number < 64 else { return false }
        return bits >> UInt64(newest &- number) & 1 != 0
    }

    mutating func removeAll() {
        (newest, bits) = (nil, 0)
    }

    /// Returns the newest number that all sets contain; nil if there is none.
    static func common(_ sets: [AcknowledgedFrames]) -> UInt32? {
        // The oldest of the newest numbers: a later one is missing in its set.
        guard let first = sets.first?.newest else { return nil }
        var start = first
        for set in sets {
            guard let newest = set.newest else { return nil }
            if start &- newest < 1 << 31 { start = newest }
        }
        for offset in 0..<UInt32(64) where sets.allSatisfy({ $0.contains(start &- offset) }) { return start &- offset }
        return nil
    }
}
