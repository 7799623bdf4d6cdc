import Testing

@testable import NaluMedia

private let millisecond: Int64 = 1_000_000

@Suite struct PictureClockTests {
    /// The first picture arrives sooner after its capture than the others.
    @Test func oneRepeatedTimeReplacesNoOther() {
        var clock = PictureClock()
        var repaired: [Int] = []
        var last = Int64.min
        for number in 0..<60 {
            let taken = 1_000_000_000 + Int64(number) * 17 * millisecond
            let arrival = taken + (number == 0 ? 1 : 20) * millisecond
            let stated = number == 30 ? taken - 17 * millisecond : taken
            let reading = clock.time(stated: stated, arrival: arrival)
            if reading.isRepaired { repaired.append(number) }
            #expect(reading.time > last)
            #expect(reading.time == taken)
            last = reading.time
        }
        #expect(repaired == [30])
    }
}
