private import NaluLibc

/// Brings the rate to its new value within a second after a change, for an encoder without lookahead.
///
/// For two seconds, the encoder gets a small VBV buffer, and the bits that the delivered samples lack or have too many
/// are added to its rate. The smaller buffer can cost up to 1 dB in these seconds, so it does not stay. The values were
/// found by trial on three clips of 640x360 at 25 to 60 frames per second, 60 kb/s to 2 Mb/s.
struct RateSettling {
    /// The size of the VBV buffer in seconds of the rate.
    static let bufferSeconds = 0.2
    /// The seconds after a change that are settled.
    private static let duration = 2.0
    /// The seconds after a change whose bits are not counted: the encoder still moves to the new rate.
    private static let ignored = 0.5
    /// The seconds within which missing bits are made up for.
    private static let horizon = 0.2
    private static let range = 0.6...1.6

    private var begin: MediaTime
    private let firstFrame: UInt64
    /// The wanted rate in bits per second.
    private var rate: Double
    private var firstTime: Double?
    private var last: Double?
    /// The bits that the delivered samples lack; negative if they have too many.
    private var missing = 0.0

    /// Begins with the first frame under the new rate.
    init(from number: UInt64, at time: MediaTime, rate: Int) {
        firstFrame = number
        begin = time
        self.rate = Double(rate)
    }

    /// Returns the correction continued for a rate that differs by little.
    func changed(to rate: Int, at time: MediaTime) -> RateSettling {
        var changed = self
        changed.begin = time
        changed.rate = Double(rate)
        return changed
    }

    func isOver(at time: MediaTime) -> Bool {
        // A time before the change, from a client's clock that has restarted, ends the correction too.
        !(0...Self.duration).contains((time - begin).seconds)
    }

    /// The factor of the encoder's rate.
    var factor: Double {
        guard rate > 0 else { return 1 }
        return min(max(1 + missing / (rate * Self.horizon), Self.range.lowerBound), Self.range.upperBound)
    }

    /// Notes a delivered sample. `time` is its decode time in seconds.
    mutating func note(frame number: UInt64, bits: Double, time: Double) {
        guard number >= firstFrame, time.isFinite else { return }
        let first = firstTime ?? time
        firstTime = first
        if time - first >= Self.ignored, let last, time > last {
            missing += rate * (time - last) - bits
        }
        last = time
    }
}
