/// The accepted frames that have not been returned. Frames are numbered in the order of acceptance, which is the order
/// of their presentation times.
struct FrameLedger {
    private struct Entry {
        let time: MediaTime
        var hasReturned = false
    }

    /// The number of the next frame.
    private(set) var accepted: UInt64 = 0
    /// Every frame below this number has been returned.
    private(set) var oldest: UInt64 = 0
    private(set) var pending = 0
    /// The frames from `oldest` on.
    private var entries = RingBuffer<Entry>(capacity: 64)

    mutating func accept(_ time: MediaTime) -> UInt64 {
        entries.append(Entry(time: time))
        pending += 1
        accepted += 1
        return accepted - 1
    }

    mutating func comeBack(_ number: UInt64) {
        guard number >= oldest, number < accepted else { return }
        let offset = Int(number - oldest)
        guard entries[offset]?.hasReturned == false else { return }
        entries[offset]?.hasReturned = true
        pending -= 1
        while entries[0]?.hasReturned == true {
            _ = entries.popFirst()
            oldest += 1
        }
    }

    /// Returns a number above those of all frames up to that time.
    func accepted(upTo time: MediaTime) -> UInt64 {
        var number = oldest
        while let entry = entries[Int(number - oldest)], entry.time <= time {
            number += 1
        }
        return number
    }
}
