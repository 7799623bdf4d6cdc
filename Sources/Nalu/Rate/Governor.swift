/// Keeps a frame rate on a machine that is too slow for the settings. It compares the encoding time of frames with the
/// time available for one, and lowers or raises the effort of the encoder's analysis in steps.
struct Governor {
    /// The fraction of a frame's time that the encoder may take. The rest is for conversion and delivery.
    static let share = 0.9
    /// A step up is taken if it is expected to need no more than this fraction.
    private static let shareAfterRise = 0.75
    /// The expected ratio of the encoding times after and before a step up, until it has been measured.
    private static let costOfStep = 1.4
    /// The number of frames measured before a step down, and before a step up.
    private static let few = 4
    private static let many = 8
    /// The number of windows in the long mean. It includes slow frames, because the frame rate depends on them.
    private static let windowsOfLongMean = 8.0
    /// The seconds before a step up; more after steps up that had to be reverted.
    private static let shortHold = 1.0
    private static let longHold = 16.0
    /// The highest plausible ratio of the encoding times of two neighbouring steps.
    private static let mostOfStep = 3.0
    /// The seconds in which half of a measured ratio's deviation from the expected one is forgotten: something else may
    /// have caused it. More after steps up that had to be reverted.
    private static let shortHalfLife = 8.0
    private static let longHalfLife = 128.0

    private let lastStep: Int
    /// The current step; 0 is as the encoder was opened.
    private(set) var step = 0
    /// The encoding time of each step divided by that of the next cheaper one.
    private var ratios: [Double]
    /// The seconds per frame at the step before the last change.
    private var costBefore: (step: Int, seconds: Double)?
    private var sum = 0.0
    private var slowest = 0.0
    private var count = 0
    /// The mean seconds per frame over the windows since the last change; nil before the first window.
    private var longMean: Double?
    /// Seconds of frames since the last change.
    private var age = 0.0
    private var hold = Governor.shortHold
    private var halfLife = Governor.shortHalfLife
    private var cameUp = false

    init(lastStep: Int) {
        self.lastStep = max(0, lastStep)
        ratios = Array(repeating: Self.costOfStep, count: self.lastStep)
    }

    /// Notes the encoding time of a frame. `frameRate` is the rate to keep, in frames per second.
    mutating func note(seconds: Double, frameRate: Double) {
        guard lastStep > 0, frameRate > 0, seconds >= 0 else { return }
        let budget = 1 / frameRate
        age += max(seconds, budget)
        sum += seconds
        slowest = max(slowest, seconds)
        count += 1
        guard count >= Self.few else { return }
        // The slowest frame is left out: it may have waited for something else.
        let mean = (sum - slowest) / Double(count - 1)
        let isTooSlow = mean > Self.share * budget
        guard isTooSlow || count >= Self.many else { return }
        forget(seconds: sum)
        learn(mean)
        let whole = min(sum / Double(count), 4 * mean)
        let long = longMean.map { $0 + (whole - $0) / Self.windowsOfLongMean } ?? mean
        longMean = long
        sum = 0
        slowest = 0
        count = 0
        if isTooSlow {
            fall(mean, budget)
        } else if long > budget {
            fall(long, budget)
        } else if step > 0, age >= hold, max(mean, long) * ratios[step - 1] <= Self.shareAfterRise * budget {
            cameUp = true
            move(to: step - 1, from: mean)
        } else if age > 2 * hold {
            hold = Self.shortHold
            // The last step up has proved right.
            if cameUp { halfLife = Self.shortHalfLife }
        }
    }

    /// Returns to the step that the encoder was opened with.
    mutating func reset() {
        // A session without a governor calls this for every frame, so it must not allocate an array each time.
        if step > 0 || count > 0 || longMean != nil {
            self = Governor(lastStep: lastStep)
        }
    }

    private mutating func fall(_ mean: Double, _ budget: Double) {
        guard step < lastStep else { return }
        if cameUp && age < 2 * hold {
            hold = min(hold * 2, Self.longHold)
            halfLife = min(halfLife * 2, Self.longHalfLife)
        }
        cameUp = false
        // If frames take much too long, one step is not enough.
        let steps = mean > 1.6 * Self.share * budget ? 2 : 1
        move(to: min(step + steps, lastStep), from: mean)
    }

    private mutating func move(to other: Int, from mean: Double) {
        costBefore = (step, mean)
        step = other
        age = 0
        longMean = nil
    }

    /// Learns the ratio of the encoding times of two steps. Right after a change, both steps were measured under about
    /// the same load.
    private mutating func learn(_ mean: Double) {
        guard let before = costBefore else { return }
        costBefore = nil
        if before.step == step + 1, before.seconds > 0 {
            ratios[step] = Self.plausible(mean / before.seconds)
        } else if before.step == step - 1, mean > 0 {
            ratios[before.step] = Self.plausible(before.seconds / mean)
        }
    }

    private static func plausible(_ ratio: Double) -> Double {
        min(max(ratio, 1.05), mostOfStep)
    }

    private mutating func forget(seconds: Double) {
        let kept = max(0, 1 - seconds / halfLife * 0.69)
        for index in ratios.indices {
            ratios[index] = Self.costOfStep + (ratios[index] - Self.costOfStep) * kept
        }
    }
}
