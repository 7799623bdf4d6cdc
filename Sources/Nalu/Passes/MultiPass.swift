/// The state of the passes of a session over one video: the current pass, the frames of the first pass, and the rate of
/// the next pass.
///
/// Every pass encodes the same frames. From the second pass on, the encoder plans with the statistics of the first pass.
/// Its rate is corrected by the error of the previous pass's size.
struct MultiPass {
    enum Phase {
        /// No pass has begun, or the last one has ended.
        case between
        case inside
        /// All frames of the pass have been passed to encode: end_pass or complete_frames was called.
        case ending
    }

    /// The largest relative error of the size for which no further pass is requested. The samples alone are measured;
    /// parameter sets and a container add to the size of the file.
    static let tolerance = 0.015
    /// The number of passes after which no further pass is requested, whatever the size.
    static let mostPasses = 6
    /// The range of the encoder's rate divided by the requested rate.
    private static let range = 0.25...4.0

    let storage: MultiPassStorage
    private(set) var phase = Phase.between
    /// The number of finished passes.
    private(set) var finished: Int
    /// True if the client has declared the current or last pass to be the final one.
    private(set) var isFinal = false
    /// True after a pass if another one would make the size more accurate, or distribute the bits better.
    private(set) var wantsAnother: Bool
    /// True if prepare has opened the encoder for the first pass, and no frame has been passed to it.
    var encoderIsFresh = false

    /// The QP of the first pass; nil if the encoder chooses it.
    var firstQP: Double?
    /// The frames of the first pass.
    private var clip: PassClip
    private var hasTakenFrames = false

    /// The number of the current pass's first frame in the session.
    private var firstNumber: UInt64 = 0
    private var taken = 0
    private var bits = 0.0
    private var failures = 0

    /// The rate given to the encoder, divided by the requested one.
    private var correction: Double
    private var lastError = Double.infinity
    private var lastAskedRate = 0
    /// The last passes whose size was below and above the requested size.
    private var tooLow: (correction: Double, ratio: Double)?
    private var tooHigh: (correction: Double, ratio: Double)?

    /// Throws `.conflict` if the storage's data belong to pictures of another size.
    init(_ storage: MultiPassStorage, width: Int, height: Int) throws(NaluError) {
        self.storage = storage
        clip = storage.clip ?? PassClip(width: width, height: height)
        guard clip.width == width, clip.height == height else {
            throw NaluError(
                .conflict,
                "storage has the first pass of a session of \(clip.width)x\(clip.height); expected \(width)x\(height)")
        }
        finished = clip.times.isEmpty ? 0 : 1
        wantsAnother = finished > 0
        correction = Self.firstCorrection(clip)
    }

    var isBetween: Bool {
        if case .between = phase { true } else { false }
    }

    /// True if no pass has begun and no frame was accepted.
    var isUntouched: Bool { isBetween && !hasTakenFrames }

    /// The number of the current or next pass, from 1.
    var number: Int { finished + 1 }

    var encoderPass: EncoderPass {
        EncoderPass(statisticsPath: storage.statisticsPath, isFirst: finished == 0)
    }

    // MARK: Order

    func checkBegin() throws(NaluError) {
        guard case .between = phase else {
            throw NaluError(.outOfOrder, "begin_pass: pass \(number) has begun; expected end_pass before it")
        }
        guard !(isFinal && finished > 0) else {
            throw NaluError(.outOfOrder, "begin_pass: the previous pass was the final one; expected no further pass")
        }
        if let firstQP, finished > 0 {
            throw NaluError(
                .outOfOrder, "begin_first_pass: qp is \(firstQP), and the next pass is pass \(number); expected 0")
        }
    }

    mutating func begin(isFinal: Bool, at qp: Double?, firstNumber: UInt64) {
        phase = .inside
        firstQP = qp
        self.isFinal = isFinal
        self.firstNumber = firstNumber
        wantsAnother = false
        taken = 0
        bits = 0
        failures = 0
        if finished == 0 { clip.removeAll() }
    }

    func checkEnd() throws(NaluError) {
        if case .between = phase {
            throw NaluError(.outOfOrder, "end_pass: no pass has begun; expected begin_pass before it")
        }
    }

    /// Ends the intake: the current pass accepts no further frame.
    mutating func stopTaking() {
        if case .inside = phase { phase = .ending }
    }

    // MARK: Frames

    /// Throws if the current pass cannot accept a frame with this time.
    func check(_ time: MediaTime, forceKeyFrame: Bool) throws(NaluError) {
        switch phase {
        case .between:
            throw NaluError(.outOfOrder, "the session has a multi-pass storage; expected begin_pass before frames")
        case .ending:
            throw NaluError(
                .outOfOrder,
                "pass \(number) accepts no more frames after complete_frames or end_pass; expected begin_pass")
        case .inside:
            break
        }
        // Times are subtracted and stored without their epoch.
        guard time.epoch == 0 else {
            throw NaluError(
                .invalidTime,
                "presentation_time is \(time), of epoch \(time.epoch); expected epoch 0 together with a multi-pass storage"
            )
        }
        guard finished > 0 else { return }
        guard taken < clip.times.count else {
            throw NaluError(
                .conflict, "the first pass had \(clip.times.count) frames, and this is one more; expected end_pass")
        }
        guard clip.times[taken] == time else {
            throw NaluError(
                .invalidTime,
                "presentation_time is \(time); expected \(clip.times[taken]), that of frame \(taken) in the first pass")
        }
        guard !forceKeyFrame || clip.keyFrames.contains(taken) else {
            throw NaluError(
                .conflict,
                "frame \(taken) was not a key frame in the first pass, and cannot be forced to be one in a later pass")
        }
    }

    mutating func accept(_ time: MediaTime, duration: MediaTime) {
        taken += 1
        hasTakenFrames = true
        encoderIsFresh = false
        if finished == 0 {
            clip.times.append(time)
            clip.lastDuration = duration
        }
    }

    /// Notes a frame that left the encoder. `bits` is nil without a sample: the frame was dropped for the limits, or
    /// failed.
    mutating func comeBack(_ number: UInt64, bits size: Double?, isKeyFrame: Bool, wasDropped: Bool) {
        guard number >= firstNumber else { return }
        guard let size else {
            if !wasDropped { failures += 1 }
            return
        }
        bits += size
        if finished == 0 && isKeyFrame {
            clip.keyFrames.insert(Int(number - firstNumber))
        }
    }

    // MARK: The end of a pass

    /// Ends the pass. All frames have been delivered, and the encoder is closed.
    mutating func end(_ settings: RateSettings, _ control: RateControl?, isFinal: Bool) throws(NaluError) {
        let askedRate = settings.averageBitRate
        phase = .between
        encoderIsFresh = false
        wantsAnother = false
        let isLast = self.isFinal || isFinal
        // A pass that does not count can begin again.
        self.isFinal = false
        guard failures == 0 else {
            throw NaluError(
                .encoderMalfunction,
                "\(failures) of the \(taken) frames of pass \(number) failed; copy_last_error has the reason; the "
                    + "pass does not count")
        }
        if finished == 0, taken > 0 {
            try EncoderPass(statisticsPath: storage.statisticsPath, isFirst: false).checkWritten(frames: taken)
            clip.highestRate = control?.highestPassRate(settings) ?? 0
            storage.keep(clip)
        }
        self.isFinal = isLast
        guard taken > 0 else { return }
        finished += 1
        let isWhole = taken == clip.times.count
        let wanted = Double(askedRate) * clip.seconds
        guard !self.isFinal, isWhole, wanted > 0, bits > 0 else { return }
        if finished == 1 {
            correction = Self.firstCorrection(clip)
            wantsAnother = true
            return
        }
        if askedRate != lastAskedRate {
            lastError = .infinity
            (tooLow, tooHigh) = (nil, nil)
        }
        lastAskedRate = askedRate
        let ratio = bits / wanted
        let error = abs(ratio - 1)
        let next = nextCorrection(after: ratio)
        // If the content cannot use the bits, or needs more, another rate does not change the size. If one pass was
        // too small and another too large, it does.
        let isEnclosed = tooLow != nil && tooHigh != nil
        let helps = (error < 0.7 * lastError || error < 0.1 || isEnclosed) && Self.range.contains(next)
        let most = control?.passVBVBuffer(settings)?.kilobitsPerSecond ?? .max
        let changes = min(Self.kilobits(askedRate, next), most) != min(Self.kilobits(askedRate, correction), most)
        wantsAnother = error > Self.tolerance && helps && changes && finished < Self.mostPasses
        lastError = error
        if Self.range.contains(next) { correction = next }
    }

    /// Returns the factor that compensates for the time in gaps, which the encoder does not count fully.
    private static func firstCorrection(_ clip: PassClip) -> Double {
        clip.countedSeconds > 0 ? clip.seconds / clip.countedSeconds : 1
    }

    /// Returns the next factor: in proportion to the size, or interpolated once one pass was too small and one too large.
    private mutating func nextCorrection(after ratio: Double) -> Double {
        if ratio < 1 { tooLow = (correction, ratio) } else { tooHigh = (correction, ratio) }
        guard let low = tooLow, let high = tooHigh, high.ratio > low.ratio else { return correction / ratio }
        return low.correction + (1 - low.ratio) / (high.ratio - low.ratio) * (high.correction - low.correction)
    }

    /// Returns the rate plan of the current or next pass. Its only aim is the size of the whole clip, within the limits.
    func plan(_ settings: RateSettings, _ control: RateControl) -> RatePlan {
        let vbvBuffer = control.passVBVBuffer(settings)
        let asked = Self.kilobits(settings.averageBitRate, correction)
        let rate = min(asked, vbvBuffer?.kilobitsPerSecond ?? asked)
        return RatePlan(
            aim: (finished == 0 ? firstQP : nil).map { .qp($0, planned: rate) } ?? .kilobitsPerSecond(rate),
            vbvBuffer: vbvBuffer, maxSliceBytes: settings.maxSliceBytes)
    }

    private static func kilobits(_ rate: Int, _ correction: Double) -> Int {
        Int(min(max((Double(rate) * correction / 1000).rounded(), 1), 2_000_000))
    }

    /// The time from the first frame to the end of the last one.
    var timeRange: (start: MediaTime, duration: MediaTime)? { clip.timeRange }
}
