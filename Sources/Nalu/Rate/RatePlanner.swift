/// Works out the rate that the encoder gets with each frame, from the client's settings, from how the frames come and
/// from what came out.
struct RatePlanner {
    private let control: RateControl
    private var clock: FrameClock
    private var cadence = Cadence()
    private var expectedFrameRate: Double
    private var lastBitRate: Int
    private var trim: RateTrim
    /// Until the rate or the cadence changes, x264's rate control stays its own: the same bytes as without us.
    private var isTrimmed = false
    private var rise: RateControl.Rise?
    /// Frames left of the rise.
    private var risingFrames = 0
    private var bucket: BucketFill
    private var lastBucket: RatePlan.Bucket?
    /// The part of the bucket that is full at the first frame; nil: as the encoder has it.
    private let openingFill: Double?
    /// Where the client has said how long the clip is.
    private var budget: ClipBudget?
    /// In several passes: the plan of the one that runs.
    private var passPlan: RatePlan?

    init(_ open: SessionState.OpenEncoder) {
        let configuration = open.setup.configuration
        control = open.rateControl
        expectedFrameRate = configuration.live.rate.expectedFrameRate
        lastBitRate = configuration.live.rate.averageBitRate
        trim = RateTrim(isLowDelay: control.isLowDelay)
        openingFill = open.setup.bucketFill
        bucket = BucketFill(beginning: openingFill ?? BucketFill.initial)
        clock = Self.clock(expectedFrameRate)
        budget = control.mode == .bitRate ? ClipBudget(configuration) : nil
        passPlan = open.setup.pass.map { _ in open.setup.rate }
    }

    private static func clock(_ frameRate: Double) -> FrameClock {
        FrameClock(assumedFrameRate: (FrameRate(frameRate) ?? .assumed).perSecond)
    }

    mutating func begin(pass plan: RatePlan) {
        passPlan = plan
        lastBucket = nil
        bucket = BucketFill(beginning: openingFill ?? BucketFill.initial)
        clock = Self.clock(expectedFrameRate)
        cadence = Cadence()
    }

    // MARK: Asked

    /// Of a frame that is handed in now. `inside`: those inside the encoder.
    mutating func plan(_ settings: RateSettings, for record: FrameRecord, inside: [FrameRecord]) -> RatePlan {
        clock.advance(to: record.presentationTime)
        cadence.advance(to: record.presentationTime)
        if settings.expectedFrameRate != expectedFrameRate {
            expectedFrameRate = settings.expectedFrameRate
            if let rate = FrameRate(expectedFrameRate) {
                clock.expect(frameRate: rate.perSecond)
            }
        }
        budget?.accept(record.presentationTime, settings)
        let rate = passPlan ?? plan(settings, from: record.number, inside: inside)
        lastBucket = rate.bucket
        return rate
    }

    /// The rate is to be given again before the very next picture, not with a frame of its own alone.
    var retunes: Bool { budget != nil }

    /// What is to be given with the next picture while the encoder is emptied; nil: nothing.
    mutating func planAgain(inside: [FrameRecord]) -> RatePlan? {
        guard let settings = budget?.planAgain() else { return nil }
        return plan(settings, from: .max, inside: inside)
    }

    /// The part of a bucket that is full when the encoder is opened again; nil: not known.
    func fill(of opening: RatePlan.Bucket?) -> Double? {
        guard let held = lastBucket, let opening else { return openingFill }
        return bucket.part(
            of: Double(opening.kilobits) * 1000, frameSeconds: clock.frameSeconds,
            rate: Double(held.kilobitsPerSecond) * 1000)
    }

    private mutating func plan(_ settings: RateSettings, from number: UInt64, inside: [FrameRecord]) -> RatePlan {
        if clock.ratio != 1 {
            isTrimmed = true
        }
        if settings.averageBitRate != lastBitRate {
            isTrimmed = true
            rise = RateControl.Rise(
                from: lastBitRate, to: settings.averageBitRate, isLowDelay: control.isLowDelay)
            risingFrames = rise?.frames ?? 0
            lastBitRate = settings.averageBitRate
            trim.restart(from: number)
        }
        if risingFrames > 0 {
            risingFrames -= 1
        } else {
            rise = nil
        }
        // x264 has one bucket, which must suit those inside that keep other limits too.
        var tightest = plan(settings)
        for record in inside {
            if let earlier = record.limits.settings(from: settings) { tightest.tighten(to: plan(earlier)) }
        }
        return tightest
    }

    private func plan(_ settings: RateSettings) -> RatePlan {
        control.plan(
            settings, durationRatio: durationRatio, trim: budget?.factor ?? trim.factor, during: rise,
            unevenness: cadence.unevenness)
    }

    /// With lookahead x264 follows presentation times itself.
    private var durationRatio: Double { control.isLowDelay ? clock.ratio : 1 }

    // MARK: Given to the encoder

    /// A sample came out. `time`: its decode time in seconds.
    mutating func note(frame number: UInt64, bits: Double, time: Double, averageQP: Double) {
        budget?.note(bits: bits)
        guard control.mode == .bitRate else { return }
        if isTrimmed {
            trim.note(frame: number, bits: bits, time: time, averageQP: averageQP, target: Double(lastBitRate))
        }
        if let held = lastBucket {
            bucket.note(
                bits: bits, time: time, rate: Double(held.kilobitsPerSecond) * 1000 / durationRatio,
                size: Double(held.kilobits) * 1000)
        }
    }

    /// A frame gave no picture.
    mutating func noteLoss() {
        budget?.note(bits: 0)
    }
}

/// How evenly frames come.
struct Cadence {
    private var last: MediaTime?
    private var steps: (least: Double, most: Double)?

    /// By how much the times between frames have differed so far, seconds.
    var unevenness: Double { steps.map { $0.most - $0.least } ?? 0 }

    mutating func advance(to time: MediaTime) {
        defer { last = time }
        // A gap counts for a second at most, as in the encoder.
        guard let last, case let step = min((time - last).seconds, 1), step > 0 else { return }
        steps = (min(steps?.least ?? step, step), max(steps?.most ?? step, step))
    }
}

/// How much the encoder's leaky bucket holds, by what came out. An encoder that is opened again goes on from there:
/// with a full bucket each time, clients that empty the encoder often would get more than their rate.
struct BucketFill {
    /// Of the bucket: x264's own default.
    static let initial = 0.9
    /// x264 needs some bits for the key frame that it begins with.
    private static let least = 0.1

    private let beginning: Double
    private var bits: Double?
    private var last: Double?

    /// `beginning`: the part that is full at the first frame.
    init(beginning: Double = BucketFill.initial) {
        self.beginning = beginning
    }

    /// A sample came out at that decode time. `rate`: bits that flow in a second; `size`: bits that the bucket holds.
    mutating func note(bits spent: Double, time: Double, rate: Double, size: Double) {
        var bits = self.bits ?? size * beginning
        if let last, time > last { bits += rate * (time - last) }
        bits = min(bits, size) - spent
        self.bits = max(bits, 0)
        last = time.isFinite ? time : nil
    }

    /// The part of a bucket of that size that is full at the next frame, which comes a frame's time after the last.
    func part(of size: Double, frameSeconds: Double, rate: Double) -> Double? {
        guard let bits, size > 0 else { return nil }
        return min(max((bits + rate * frameSeconds) / size, Self.least), Self.initial)
    }
}
