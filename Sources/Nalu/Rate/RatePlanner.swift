/// Computes the encoder's rate for each frame from the client's settings, the times of the frames and the delivered
/// samples.
struct RatePlanner {
    private let control: RateControl
    private var clock: FrameClock
    private var cadence = Cadence()
    private var expectedFrameRate: Double
    private var lastBitRate: Int
    private var trim: RateTrim
    /// Whether the rate is corrected. Until the rate or the cadence changes, the encoder's rate control is left alone,
    /// so that the bytes are those of the encoder alone.
    private var isTrimmed = false
    private var rise: RateControl.Rise?
    /// The number of frames left in the rise.
    private var risingFrames = 0
    /// The seconds after a change without lookahead; otherwise nil.
    private var settling: RateSettling?
    private var vbvFill: VBVFill
    private var lastVBVBuffer: RatePlan.VBVBuffer?
    /// The fullness of the VBV buffer at the first frame, as a fraction; nil for the encoder's default.
    private let openingFill: Double?
    /// The budget of a clip whose length the client has stated; otherwise nil.
    private var budget: ClipBudget?
    /// The plan of the running pass, if there are several; otherwise nil.
    private var passPlan: RatePlan?
    /// The only plan of an encoder whose plan cannot change while it runs; otherwise nil.
    private let openingPlan: RatePlan?

    init(_ open: SessionState.OpenEncoder) {
        let configuration = open.setup.configuration
        control = open.rateControl
        expectedFrameRate = configuration.live.rate.expectedFrameRate
        lastBitRate = configuration.live.rate.averageBitRate
        trim = RateTrim(isLowDelay: control.isLowDelay)
        openingFill = open.setup.vbvFill
        vbvFill = VBVFill(beginning: openingFill ?? VBVFill.initial)
        clock = Self.clock(expectedFrameRate)
        budget = control.mode == .bitRate ? ClipBudget(configuration) : nil
        passPlan = open.setup.pass.map { _ in open.setup.rate }
        openingPlan = control.takesLiveRate ? nil : open.setup.rate
    }

    private static func clock(_ frameRate: Double) -> FrameClock {
        FrameClock(assumedFrameRate: (FrameRate(frameRate) ?? .assumed).perSecond)
    }

    mutating func begin(pass plan: RatePlan) {
        passPlan = plan
        lastVBVBuffer = nil
        vbvFill = VBVFill(beginning: openingFill ?? VBVFill.initial)
        clock = Self.clock(expectedFrameRate)
        cadence = Cadence()
    }

    // MARK: Planning

    /// Returns the plan for a frame that is passed to the encoder now. `inside` are the frames inside the encoder.
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
        if settling?.isOver(at: record.presentationTime) == true { settling = nil }
        if settings.averageBitRate != lastBitRate, control.isLowDelay, !control.followsRateAtOnce, budget == nil {
            if RateControl.isStep(from: lastBitRate, to: settings.averageBitRate) { settling = nil }
            settling =
                settling?.changed(to: settings.averageBitRate, at: record.presentationTime)
                ?? RateSettling(from: record.number, at: record.presentationTime, rate: settings.averageBitRate)
        }
        let rate = passPlan ?? openingPlan ?? plan(settings, from: record.number, inside: inside)
        lastVBVBuffer = rate.vbvBuffer
        return rate
    }

    /// Whether the rate must also be set before the very next picture, not only with a frame.
    var retunes: Bool { budget != nil }

    /// Returns the plan for the next picture while the encoder is drained; nil for no change.
    mutating func planAgain(inside: [FrameRecord]) -> RatePlan? {
        guard let settings = budget?.planAgain() else { return nil }
        return plan(settings, from: .max, inside: inside)
    }

    /// Returns the fullness of a VBV buffer when the encoder is reopened, as a fraction; nil if unknown.
    func fill(of opening: RatePlan.VBVBuffer?) -> Double? {
        guard let held = lastVBVBuffer, let opening else { return openingFill }
        return vbvFill.fraction(
            of: Double(opening.kilobits) * 1000, frameSeconds: clock.frameSeconds,
            rate: Double(held.kilobitsPerSecond) * 1000)
    }

    private mutating func plan(_ settings: RateSettings, from number: UInt64, inside: [FrameRecord]) -> RatePlan {
        if clock.ratio != 1 && !control.followsRateAtOnce {
            isTrimmed = true
        }
        if settings.averageBitRate != lastBitRate {
            isTrimmed = !control.followsRateAtOnce
            // The sizes of pictures that were in the lookahead show the old rate for a while. A correction by them would
            // overshoot the new rate.
            if !control.isLowDelay || RateControl.isStep(from: lastBitRate, to: settings.averageBitRate) {
                rise =
                    control.followsRateAtOnce
                    ? nil
                    : RateControl.Rise(from: lastBitRate, to: settings.averageBitRate, isLowDelay: control.isLowDelay)
                risingFrames = rise?.frames ?? 0
                trim.restart(from: number)
            }
            lastBitRate = settings.averageBitRate
        }
        if risingFrames > 0 {
            risingFrames -= 1
        } else {
            rise = nil
        }
        // The encoder has one VBV buffer, which must also suit the frames inside the encoder that have other limits.
        var tightest = plan(settings)
        for record in inside {
            if let earlier = record.limits.settings(from: settings) { tightest.tighten(to: plan(earlier)) }
        }
        return tightest
    }

    private func plan(_ settings: RateSettings) -> RatePlan {
        control.plan(
            settings, durationRatio: durationRatio,
            trim: budget?.factor ?? trim.factor * (settling?.factor ?? 1), during: rise, isSettling: settling != nil,
            unevenness: cadence.unevenness)
    }

    /// The ratio of real to assumed frame durations. With lookahead, the encoder itself follows presentation times.
    private var durationRatio: Double { control.isLowDelay && !control.followsRateAtOnce ? clock.ratio : 1 }

    // MARK: Results

    /// Notes a delivered sample. `time` is its decode time in seconds.
    mutating func note(frame number: UInt64, bits: Double, time: Double, averageQP: Double) {
        budget?.note(bits: bits)
        guard control.mode == .bitRate else { return }
        settling?.note(frame: number, bits: bits, time: time)
        if isTrimmed {
            trim.note(frame: number, bits: bits, time: time, averageQP: averageQP, target: Double(lastBitRate))
        }
        if let held = lastVBVBuffer {
            vbvFill.note(
                bits: bits, time: time, rate: Double(held.kilobitsPerSecond) * 1000 / durationRatio,
                size: Double(held.kilobits) * 1000)
        }
    }

    /// Notes a frame that did not become a picture.
    mutating func noteLoss() {
        budget?.note(bits: 0)
    }
}

/// The regularity of the frames' times.
struct Cadence {
    private var last: MediaTime?
    private var steps: (least: Double, most: Double)?

    /// The difference between the longest and the shortest distance of frames so far, in seconds.
    var unevenness: Double { steps.map { $0.most - $0.least } ?? 0 }

    mutating func advance(to time: MediaTime) {
        defer { last = time }
        // A gap counts as one second at most, as in the encoder.
        guard let last, case let step = min((time - last).seconds, 1), step > 0 else { return }
        steps = (min(steps?.least ?? step, step), max(steps?.most ?? step, step))
    }
}

/// The fullness of the encoder's VBV buffer, computed from the delivered samples. A reopened encoder continues from
/// this fullness. With a full buffer each time, clients that often drain the encoder would get more than their rate.
struct VBVFill {
    /// The fullness at the beginning, as a fraction: the encoder's own default.
    static let initial = 0.9
    /// The least fullness. An encoder needs some bits for the key frame that it begins with.
    private static let least = 0.1

    private let beginning: Double
    private var bits: Double?
    private var last: Double?

    /// `beginning` is the fullness at the first frame, as a fraction.
    init(beginning: Double = VBVFill.initial) {
        self.beginning = beginning
    }

    /// Notes a delivered sample. `time` is its decode time in seconds, `rate` the buffer's rate in bits per second, and
    /// `size` the buffer's size in bits.
    mutating func note(bits spent: Double, time: Double, rate: Double, size: Double) {
        var bits = self.bits ?? size * beginning
        if let last, time > last { bits += rate * (time - last) }
        bits = min(bits, size) - spent
        self.bits = max(bits, 0)
        last = time.isFinite ? time : nil
    }

    /// Returns the fullness of a buffer of that size at the next frame, one frame duration after the last, as a
    /// fraction.
    func fraction(of size: Double, frameSeconds: Double, rate: Double) -> Double? {
        guard let bits, size > 0 else { return nil }
        return min(max((bits + rate * frameSeconds) / size, Self.least), Self.initial)
    }
}
