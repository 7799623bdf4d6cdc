/// Which accepted frames have not come back yet. Frames are numbered in the order they were accepted, which is that of
/// their presentation times.
struct FrameLedger {
    private struct Entry {
        let time: MediaTime
        var hasReturned = false
    }

    /// The number that the next frame gets.
    private(set) var accepted: UInt64 = 0
    /// Every frame below this number has come back.
    private(set) var oldest: UInt64 = 0
    private(set) var pending = 0
    /// From `oldest` on.
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

    /// Every frame up to that time has a number below this one.
    func accepted(upTo time: MediaTime) -> UInt64 {
        var number = oldest
        while let entry = entries[Int(number - oldest)], entry.time <= time {
            number += 1
        }
        return number
    }
}
