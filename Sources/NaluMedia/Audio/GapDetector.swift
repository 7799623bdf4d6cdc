/// Distinguishes missing or repeated audio from times that jitter.
///
/// A block whose time is off is held until the blocks after it show the reason. After a gap all blocks are late by the same
/// time. Blocks that were only stamped late are followed by blocks in time, because their number is complete. If the times
/// of a device jitter, larger differences are expected, and a decision takes longer.
///
/// Offsets are the times of blocks less the times at which they will be placed, in seconds.
struct GapDetector {
    enum Verdict: Equatable {
        /// The held blocks and this one follow the audio so far.
        case continuous
        /// The cause is unknown. This block must be held too.
        case undecided
        /// The seconds of audio that are missing before each held block and before this one; negative if audio is repeated.
        case gaps([Double])
    }

    private let sampleRate: Double
    private var held: [(offset: Double, seconds: Double)] = []
    private var heldSeconds = 0.0
    /// The most by which the times jitter, in seconds; nil in the first window.
    private var knownJitter: Double?
    /// The last block, before which no audio is missing any more.
    private var last: (offset: Double, seconds: Double)?
    /// The blocks and seconds of the present window, and the sum of the differences between successive offsets.
    private var count = 0
    private var seconds = 0.0
    private var differences = 0.0

    /// The least offset in seconds that can be a gap. Drift explains 2 ms of it, and smaller gaps leave the audio in step
    /// within 20 ms.
    private static let leastThreshold = 0.015
    /// The most that a single block adds to the measured differences, in seconds, so that a stall is no jitter.
    private static let mostDifference = 0.1
    /// The length of a window in seconds, and the fewest blocks in it.
    private static let window = (seconds: 0.5, blocks: 8)
    /// The shortest time after a gap that shows a gap, in seconds, if the times jitter little.
    private static let shortestLevel = 0.04
    /// The time after a gap that shows a gap if the jitter is unknown or increases, in seconds.
    private static let usualLevel = 0.25
    /// The longest time in seconds for which blocks are held.
    private static let longestHold = 10.0

    init(sampleRate: Int) {
        self.sampleRate = Double(sampleRate)
    }

    /// The most by which the times jitter, in seconds; 0 in the first window.
    var jitter: Double { knownJitter ?? 0 }

    /// The offset in seconds above which a block is held. The placement of the audio follows a part of the jitter.
    private var threshold: Double { max(Self.leastThreshold, 1.25 * jitter + 0.003) }

    /// Notes the next block.
    mutating func note(offset: Double, frames: Int) -> Verdict {
        let seconds = Double(frames) / sampleRate
        learn(offset, seconds)
        if let first = held.first {
            let isInTime = offset.magnitude < threshold / 2 || (offset < 0) != (first.offset < 0)
            if isInTime {
                clear()
                return .continuous
            }
        } else if offset.magnitude <= threshold {
            return .continuous
        }
        held.append((offset, seconds))
        heldSeconds += seconds
        guard let level else { return .undecided }
        return .gaps(shifts(to: level))
    }

    /// Returns the missing seconds before each held block at the end of the audio: no later block is in time.
    mutating func end() -> [Double] {
        guard let last = held.last else { return [] }
        return shifts(to: (held.count - 1, last.offset))
    }

    private mutating func clear() {
        held.removeAll(keepingCapacity: true)
        heldSeconds = 0
    }

    /// Measures the jitter by successive differences, which neither drift nor a few late blocks change much. The mean
    /// difference of times that are equally likely within a range is a third of the range.
    private mutating func learn(_ offset: Double, _ seconds: Double) {
        let last = last
        self.last = (offset, seconds)
        guard let last else { return }
        let difference = offset - last.offset
        // A block that arrives together with the one before it has waited for a stalled machine.
        if (difference + last.seconds).magnitude < last.seconds / 5 { return }
        differences += min(difference.magnitude, Self.mostDifference)
        count += 1
        self.seconds += seconds
        guard self.seconds >= Self.window.seconds, count >= Self.window.blocks else { return }
        let measured = 1.5 * differences / Double(count)
        knownJitter = knownJitter.map { ($0 + measured) / 2 } ?? measured
        (count, self.seconds, differences) = (0, 0, 0)
    }

    // MARK: - Decisions

    /// The last held blocks that are off by the same time, and this time; nil if there are too few.
    private var level: (start: Int, offset: Double)? {
        var (seconds, sum) = (0.0, 0.0)
        var (least, most) = (Double.infinity, -Double.infinity)
        for index in held.indices.reversed() {
            let offset = held[index].offset
            seconds += held[index].seconds
            sum += offset
            least = min(least, offset)
            most = max(most, offset)
            let count = held.count - index
            let mean = sum / Double(count)
            if mean.magnitude > threshold, isLevel(mean, most - least, seconds, count) { return (index, mean) }
        }
        return heldSeconds >= Self.longestHold ? (0, sum / Double(held.count)) : nil
    }

    /// Whether offsets are those of a gap, and not of late blocks, whose offsets fall by the length of each block.
    private func isLevel(_ mean: Double, _ range: Double, _ seconds: Double, _ count: Int) -> Bool {
        if let jitter = knownJitter, count >= 3, seconds >= max(Self.shortestLevel, 6 * jitter),
            range <= max(0.005, 2.5 * jitter)
        {
            return true
        }
        // One block of a second is long enough to be in time again.
        return seconds >= Self.usualLevel && (count > 1 || seconds >= 1) && range <= min(seconds / 2, mean.magnitude)
    }

    /// Returns the missing seconds before each held block, and forgets the blocks. Blocks between several gaps have been
    /// late by at least the offset of each block so far.
    private mutating func shifts(to level: (start: Int, offset: Double)) -> [Double] {
        let sign: Double = level.offset < 0 ? -1 : 1
        var least = level.offset.magnitude
        var bounds = [Double](repeating: least, count: held.count)
        for index in held.indices.prefix(level.start).reversed() {
            least = min(least, max(0, sign * held[index].offset))
            bounds[index] = least
        }
        var result = [Double](repeating: 0, count: held.count)
        var applied = 0.0
        for index in held.indices.prefix(level.start + 1) {
            let rest = bounds[index] - applied
            // Resampling closes what is left at the end.
            guard rest > (index == level.start ? threshold / 2 : threshold) else { continue }
            result[index] = sign * rest
            applied = bounds[index]
        }
        last?.offset -= sign * applied
        clear()
        return result
    }
}
