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
    /// Seconds to stay before a step up; more after steps up that had to be taken back.
    private static let shortHold = 1.0
    private static let longHold = 16.0

    private let lastStep: Int
    /// 0: as the encoder was opened.
    private(set) var step = 0
    /// How much longer each step takes than the next cheaper one.
    private var ratios: [Double]
    /// What frames took at the step before the last change.
    private var costBefore: (step: Int, seconds: Double)?
    private var sum = 0.0
    private var cappedSum = 0.0
    private var count = 0
    /// Seconds of frames since the last change.
    private var age = 0.0
    private var hold = Governor.shortHold
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
        // One frame that waited for something else says little.
        cappedSum += min(seconds, 1.5 * budget)
        count += 1
        let mean = cappedSum / Double(count)
        let isTooSlow = count >= Self.few && mean > Self.share * budget
        guard isTooSlow || count >= Self.many else { return }
        learn(sum / Double(count))
        if isTooSlow {
            fall(mean / budget)
        } else if step > 0, age >= hold, mean * ratios[step - 1] <= Self.shareAfterRise * budget {
            cameUp = true
            move(to: step - 1)
        } else if age > 2 * hold {
            // The last step up was right.
            hold = Self.shortHold
        }
        sum = 0
        cappedSum = 0
        count = 0
    }

    /// Back to where the encoder was opened.
    mutating func reset() {
        self = Governor(lastStep: lastStep)
    }

    private mutating func fall(_ load: Double) {
        guard step < lastStep else { return }
        if cameUp && age < 2 * hold {
            hold = min(hold * 2, Self.longHold)
        }
        cameUp = false
        // Where a step will not do.
        move(to: min(step + (load > 1.4 ? 2 : 1), lastStep))
    }

    private mutating func move(to other: Int) {
        costBefore = (step, sum / Double(count))
        step = other
        age = 0
    }

    /// Right after a change both steps were measured under the same load.
    private mutating func learn(_ mean: Double) {
        guard let before = costBefore else { return }
        costBefore = nil
        if before.step == step + 1, before.seconds > 0 {
            ratios[step] = max(mean / before.seconds, 1.05)
        } else if before.step == step - 1, mean > 0 {
            ratios[before.step] = max(before.seconds / mean, 1.05)
        }
    }
}
