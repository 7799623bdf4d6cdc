/// Continues the times of one track beyond their 33 bits, which last 26.5 hours (ITU-T H.222.0 2.4.3.7).
///
/// libavformat does so only once: it adds one period to times that are well before the first one. It also does so if the
/// times jump back, as in recordings that were joined; this type undoes that.
struct UnwrappedTimes {
    private static let period: Int64 = 1 << 33
    /// True if a packet had other times from libavformat.
    private(set) var hasMoved = false
    private var wraps: Int64 = 0
    private var last: Int64?

    /// Moves the times of the next packet to those that continue the times before. Packets must not be more than half a
    /// period apart.
    mutating func unwrap(_ packet: Packet) {
        let none = Packet.noTime
        let given = packet.decode != none ? packet.decode : packet.presentation
        guard given != none else { return }
        var moved = wraps &* Self.period
        if let last {
            if given &+ moved < last &- Self.period / 2 {
                wraps += 1
                moved = moved &+ Self.period
            } else if given &+ moved > last &+ Self.period / 2 {
                // The packet has a time from before the wrap, but follows packets from after it. Or the times jump back.
                moved = moved &- Self.period
            }
        }
        if moved != 0 { hasMoved = true }
        last = given &+ moved
        if packet.decode != none { packet.decode = packet.decode &+ moved }
        guard packet.presentation != none else { return }
        packet.presentation = packet.presentation &+ moved
        if packet.presentation < given &+ moved &- Self.period / 2 {
            packet.presentation = packet.presentation &+ Self.period
        }
    }
}
