/// The DataRateLimits with which a frame was handed in. Frames between two changes have the same `since`, which is the
/// number of the first of them.
struct FrameLimits: Hashable, Sendable {
    var limits = DataRateLimits()
    var since: UInt64 = 0

    /// Those of the next frame.
    mutating func follow(_ limits: DataRateLimits, number: UInt64) {
        guard limits != self.limits else { return }
        self = FrameLimits(limits: limits, since: number)
    }
}
