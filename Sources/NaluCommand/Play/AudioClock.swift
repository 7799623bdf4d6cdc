internal import Nalu

/// The clock of an audio device, as a timebase over the host clock.
///
/// A device asks for frames a buffer at a time, so the number of frames is its time, in steps and with jitter. The
/// timebase follows the mean of these times, without steps.
struct AudioClock {
    /// The clock. It has the rate of the host clock until the device's rate is known.
    let timebase: Timebase
    private let host: Timebase
    private let sampleRate: Double
    /// The host time in seconds of the last decision, or of the first call; nil before it.
    private var windowStart: Double?
    private var frames: Int64 = 0
    /// The sum of the offsets in the present window, in seconds, and their number.
    private var sum = 0.0
    private var count = 0
    /// The timebase's time less the device's at the first call, in seconds. It grows by the time that a device loses.
    private var base = 0.0
    /// The deviation of the rate that earlier windows have shown.
    private var learnt = 0.0
    /// False for a device that has no clock: the timebase then keeps the rate of the host clock.
    var isMaster = true

    /// The time between two decisions, in seconds.
    private static let window = 0.25
    /// The share of a window's offset that the next window corrects, and the share that ``learnt`` keeps.
    private static let gain = 0.5
    private static let learning = 0.1
    /// The most that a device's rate differs from the host clock's. Crystals differ by 0.02 %.
    private static let mostDifference = 0.05
    /// The offset in seconds above which a device has lost time, as after an underrun.
    private static let mostOffset = 0.1

    /// - Parameter host: the host clock, or the clock of a test.
    init(sampleRate: Int, host: Timebase = .hostClock) throws(NaluError) {
        self.sampleRate = Double(sampleRate)
        self.host = host
        timebase = Timebase(source: host)
        try timebase.setRate(1)
    }

    /// Notes that the device asks for `added` further frames.
    mutating func note(frames added: Int) {
        guard isMaster else { return }
        defer { frames += Int64(added) }
        let now = host.time.seconds
        let time = timebase.time.seconds
        guard let start = windowStart else {
            windowStart = now
            base = time
            return
        }
        sum += base + Double(frames) / sampleRate - time
        count += 1
        guard now - start >= Self.window else { return }
        let offset = sum / Double(count)
        (windowStart, sum, count) = (now, 0, 0)
        guard offset.magnitude <= Self.mostOffset else {
            base -= offset
            return
        }
        let most = Self.mostDifference
        learnt = min(max(learnt + Self.learning * offset, -most), most)
        try? timebase.setRate(1 + min(max(learnt + Self.gain * offset, -most), most))
    }
}
