/// Holds a frame rate on a machine that is too slow for the settings: watches how long frames take to encode against the
/// time that there is for one, and steps the encoder's analysis down and up.
struct Governor {
    /// The part of a frame's time that the encoder may take: the rest belongs to conversion and delivery.
    static let share = 0.9
    /// A step up is taken when it is expected to need no more than this part.
    private static let shareAfterRise = 0.75
    /// By how much a step up is expected to take longer until that has been measured.
    private static let costOfStep = 1.4
    /// Frames that are looked at before a step down, and before a step up.
    private static let few = 4
    private static let many = 8
    /// Windows of frames whose mean, slow ones and all, the rate hangs on.
    private static let windowsOfLongMean = 8.0
    /// Seconds to stay before a step up; more after steps up that had to be taken back.
    private static let shortHold = 1.0
    private static let longHold = 16.0
    /// A step is not believed to cost more than this.
    private static let mostOfStep = 3.0
    /// Seconds in which half of what a step was found to cost, beyond what is expected of one, is forgotten, because it
    /// was perhaps the cost of something else; more after steps up that had to be taken back.
    private static let shortHalfLife = 8.0
    private static let longHalfLife = 128.0

    private let lastStep: Int
    /// 0: as the encoder was opened.
    private(set) var step = 0
    /// How much longer each step takes than the next cheaper one.
    private var ratios: [Double]
    /// What frames took at the step before the last change.
    private var costBefore: (step: Int, seconds: Double)?
    private var sum = 0.0
    private var slowest = 0.0
    private var count = 0
    /// Seconds, over the windows since the last change; nil before the first.
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

    /// The encoder took so long for a frame. `frameRate`: frames a second to hold.
    mutating func note(seconds: Double, frameRate: Double) {
        guard lastStep > 0, frameRate > 0, seconds >= 0 else { return }
        let budget = 1 / frameRate
        age += max(seconds, budget)
        sum += seconds
        slowest = max(slowest, seconds)
        count += 1
        guard count >= Self.few else { return }
        // One frame that waited for something else says little.
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
            // The last step up was right.
            if cameUp { halfLife = Self.shortHalfLife }
        }
    }

    /// Back to where the encoder was opened.
    mutating func reset() {
        // No new array for every frame of a session that is not governed.
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
        // Where a step will not do.
        let steps = mean > 1.6 * Self.share * budget ? 2 : 1
        move(to: min(step + steps, lastStep), from: mean)
    }

    private mutating func move(to other: Int, from mean: Double) {
        costBefore = (step, mean)
        step = other
        age = 0
        longMean = nil
    }

    /// Right after a change both steps were measured under the same load, as far as one knows.
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
