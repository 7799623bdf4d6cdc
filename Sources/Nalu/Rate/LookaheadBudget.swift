private import NaluLibc

/// The budget of an encoder that returns pictures many frames later.
///
/// All frames of a moment have nearly the same offset, because the encoder itself distributes bits between references and
/// the frames that refer to them. The offset is that with which the pixels of the last frames would take the rate: their
/// expected bits, multiplied by how many bits the returned pictures took of those expected. What the stream has too many
/// or too few of is spread over ``spread`` seconds. The bits of key frames that follow each other within these seconds are
/// part of the rate beforehand; those of other key frames are too many at first.
///
/// The values were found by trial with five clips and synthetic pictures at 11 rates.
struct LookaheadBudget: RateBudget {
    /// A frame inside the encoder.
    private struct Passed {
        let token: UInt64
        let offset: Double
        /// The seconds of the rate that are counted for the frame, until its picture returns.
        let counted: Double
        /// The rate in bits per second that the frame was passed with.
        let rate: Double
        /// The bits at QP 0 by the pixels alone.
        let complexity: Double
        let beginsScene: Bool
    }

    /// Sums over returned pictures, in which older ones count less.
    private struct Ratio {
        private var taken: Double
        private var expected: Double
        private let seconds: Double

        init(seconds: Double, expected: Double) {
            (self.seconds, self.expected, taken) = (seconds, expected, expected)
        }

        mutating func note(taken more: Double, expected moreExpected: Double, frameSeconds: Double) {
            let kept = exp(-frameSeconds / seconds)
            taken = taken * kept + more
            expected = expected * kept + moreExpected
        }

        var value: Double { taken / expected }
    }

    /// The seconds over which surplus bits are spread.
    private static let spread = 3.0
    /// The seconds of the rate that the first frame and those after it are planned for, and what it may take beforehand.
    private static let opening = (seconds: 1.5, surplus: 0.1)
    /// The most by which the QP falls in a second. At a finer QP the bits of noise rise far above the estimate, which only
    /// shows when the pictures return.
    private static let fall = 8.0
    /// The surplus that is made up for, in seconds of the rate. The rest is forgotten: after minutes of still pictures, the
    /// next scene does not take what they left, and after minutes of noise it has its rate.
    private static let surpluses = -1.5...6.0
    /// The seconds over which frames' pixels are averaged.
    private static let blur = 1.0
    /// The seconds over which older pictures count less, and the same for the last ones, which show a rise at once.
    private static let memory = (long: 3.5, short: 0.4)
    /// The fullness of the buffer at the first frame, as a fraction.
    private static let fullness = 0.9
    /// The bits of a frame without references divided by those of ``PictureDetail/complexity``, before one is known.
    private static let usualKeyRatio = 4.0
    /// The fraction of the buffered bits that a frame may take.
    private static let keyShare = 0.6
    private static let frameShare = 0.8

    /// The longest distance between key frames in seconds that is anticipated in full, and from which on none is.
    private static let anticipation = (full: 3.0, none: 6.0)

    /// The encoder's QP without an offset.
    private let base: Double
    private let bounds: ClosedRange<Double>
    private var keyRatio = usualKeyRatio
    private var ratio: (long: Ratio, short: Ratio)?
    private var returned = 0
    /// Whether a picture has returned, of a key frame or another one.
    private var hasPicture = false
    private var frames = 0
    /// The expected bits of a second at QP 0.
    private var average = 0.0
    private var usualChange: Double?
    /// The seconds of its rate that the stream has taken beyond its duration. Seconds keep their meaning when the rate
    /// changes: frames that were passed before are no surplus.
    private var surplus = 0.0
    /// The seconds of the rate in the buffer of the limits; nil if no limit demands one. Without limits a full stop for a
    /// frame would cost more quality than the rate is worth.
    private var held: Double?
    private var lastOffset = 0.0
    private var firstOffset = 0.0
    private var inside: [Passed] = []
    private var frameSeconds = 1.0
    /// The usual seconds between key frames, and those since the last one.
    private var keyInterval: (usual: Double, current: Double)

    /// - Parameters:
    ///   - base: the encoder's QP without an offset, as far as is known.
    ///   - bounds: the QPs that the encoder may use.
    ///   - keyInterval: the seconds between key frames, as far as is known.
    init(base: Double, bounds: ClosedRange<Double>, keyInterval: Double = .infinity) {
        self.base = base
        self.bounds = bounds
        self.keyInterval = (min(keyInterval, 2 * Self.anticipation.none), 0)
    }

    mutating func offset(
        token: UInt64, _ plan: RatePlan, seconds: Double, isKeyFrame: Bool, detail: PictureDetail, extra: Double,
        finest: Double? = nil
    ) -> Double {
        guard let buffer = plan.vbvBuffer, case let rate = Double(buffer.kilobitsPerSecond) * 1000, rate > 0 else {
            return 0
        }
        frameSeconds = seconds
        let limited = Double(buffer.kilobits) / Double(buffer.kilobitsPerSecond)
        let isFirst = frames == 0
        if limited < 0.95 {
            let size = max(limited, seconds)
            held = isFirst ? Self.fullness * size : min((held ?? size) + seconds, size)
        } else {
            held = nil
        }
        surplus -= isFirst ? Self.opening.surplus : seconds
        noteInterval(isKeyFrame: isKeyFrame, isFirst: isFirst, seconds: seconds)
        let complexity = detail.complexity * Self.share(change: detail.change)
        let beginsScene = isKeyFrame || isCut(detail.change)
        if isFirst || !beginsScene {
            average += (complexity / seconds - average) * max(min(seconds / Self.blur, 1), 1 / Double(frames + 1))
        }
        if ratio == nil {
            ratio = (
                Ratio(seconds: Self.memory.long, expected: 0.4 * average),
                Ratio(seconds: Self.memory.short, expected: 0.1 * average)
            )
        }
        frames += 1
        let known = knownRatio
        let scale = pow(2, -base / 6)
        let keys = keyFrames(complexity: detail.complexity, scale: scale, rate: rate)
        // Bits that are saved for the next key frame are not a deficit.
        let balance = (surplus + keys.saved).clamped(to: Self.surpluses)
        surplus = balance - keys.saved
        let steady = average * known * max(1 - keys.share * seconds, 0) + keys.bitsPerSecond
        let expected = (beginsScene ? detail.complexity * keyRatio : complexity * known) * scale
        var offset: Double
        if isFirst {
            let plannedBits = expected + steady * scale * Self.opening.seconds
            offset = 6 * log2(plannedBits / (rate * (Self.opening.seconds + Self.opening.surplus)))
            firstOffset = offset
        } else {
            offset = 6 * log2(steady * scale / rate * (1 + balance / Self.spread))
            offset = max(offset, lastOffset - Self.fall * seconds)
            if !hasPicture { offset = max(offset, firstOffset) }
        }
        if let held {
            let most = max((isKeyFrame ? Self.keyShare : Self.frameShare) * held * rate - extra, rate * seconds * 0.05)
            offset = max(offset, 6 * log2(expected / most))
        }
        offset = (base + offset).clamped(to: bounds) - base
        let counted = (expected * pow(2, -offset / 6) + extra) / rate
        surplus += counted
        held = held.map { $0 - counted }
        lastOffset = offset
        inside.append(
            Passed(
                token: token, offset: offset, counted: counted, rate: rate,
                complexity: beginsScene ? detail.complexity : complexity, beginsScene: beginsScene))
        return offset
    }

    mutating func note(token: UInt64, bits spent: Double, isKeyFrame: Bool) {
        guard let index = inside.firstIndex(where: { $0.token == token }) else { return }
        let passed = inside.remove(at: index)
        hasPicture = true
        let more = spent / passed.rate - passed.counted
        surplus += more
        held = held.map { $0 - more }
        let taken = max(spent, 64) * pow(2, (base + passed.offset) / 6)
        if passed.beginsScene {
            keyRatio += 0.7 * ((taken / passed.complexity).clamped(to: 0.05...20) - keyRatio)
        } else {
            returned += 1
            ratio?.long.note(taken: taken, expected: passed.complexity, frameSeconds: frameSeconds)
            ratio?.short.note(taken: taken, expected: passed.complexity, frameSeconds: frameSeconds)
        }
    }

    /// Notes the distance between key frames.
    private mutating func noteInterval(isKeyFrame: Bool, isFirst: Bool, seconds: Double) {
        if isFirst { return }
        keyInterval.current += seconds
        guard isKeyFrame else { return }
        keyInterval.usual = (keyInterval.usual + min(keyInterval.current, 2 * Self.anticipation.none)) / 2
        keyInterval.current = 0
    }

    /// Returns what to plan for key frames.
    ///
    /// - Returns: key frames per second; their bits at QP 0 per second; and the seconds of the rate that the frames since the
    ///   last key frame save for the next one.
    private func keyFrames(
        complexity: Double, scale: Double, rate: Double
    ) -> (share: Double, bitsPerSecond: Double, saved: Double) {
        let seconds = max(keyInterval.usual, keyInterval.current, frameSeconds)
        let (full, none) = Self.anticipation
        let weight = ((none - seconds) / (none - full)).clamped(to: 0...1)
        let bits = weight * complexity * keyRatio
        return (
            weight / seconds, bits / seconds,
            bits * scale * pow(2, -lastOffset / 6) / rate * keyInterval.current / seconds
        )
    }

    /// The bits of returned pictures divided by those expected from their pixels.
    private var knownRatio: Double {
        guard let ratio else { return 1 }
        return returned > 8 ? max(ratio.long.value, 0.8 * ratio.short.value) : ratio.long.value
    }

    /// Returns the fraction of a picture's bits that remains if it refers to the frame before. The change is the mean
    /// difference of luma samples.
    private static func share(change: Double?) -> Double { (0.07 * (change ?? 1.5)).clamped(to: 0.02...0.5) }

    /// Returns whether a frame with that change begins a scene.
    private mutating func isCut(_ change: Double?) -> Bool {
        guard let change else { return false }
        let usual = usualChange ?? change
        guard change <= 2.5 * usual + 1.5 else { return true }
        usualChange = usual + 0.2 * (change - usual)
        return false
    }
}
