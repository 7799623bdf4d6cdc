private import NaluLibc

/// Chooses the QP of each frame so that the stream has its rate, for an encoder that holds a quality and takes QP offsets.
protocol RateBudget {
    /// Returns the QP offset of the next frame.
    ///
    /// - Parameters:
    ///   - seconds: the time since the frame before.
    ///   - detail: the frame's pixels, beside those of the frame before.
    ///   - extra: bits that are written with the frame beside its picture.
    ///   - finest: the offset of the frame's quality, which the rate may only make coarser; nil without a quality.
    mutating func offset(
        token: UInt64, _ plan: RatePlan, seconds: Double, isKeyFrame: Bool, detail: PictureDetail, extra: Double,
        finest: Double?
    ) -> Double

    /// Notes the encoder's picture of a frame.
    mutating func note(token: UInt64, bits spent: Double, isKeyFrame: Bool)
}

/// The budget of an encoder that returns pictures at once, or that holds a quality below a rate. Each frame gets what the
/// buffer has.
///
/// The model: a frame takes `complexity · 2^(-QP/6)` bits. The complexity is learned from the encoder's pictures. A
/// buffer fills with the rate's bits and is emptied by what each frame is expected to take; the picture corrects the
/// expectation. So frames that the encoder delays are counted when they are passed.
struct FrameBudget: RateBudget {
    /// A frame inside the encoder.
    private struct Passed {
        let token: UInt64
        let offset: Double
        let expected: Double
        let isCut: Bool
    }

    /// The bits of one kind of frame.
    private struct Kind {
        /// The bits at QP 0 by the model; nil before the first picture.
        var complexity: Double?
        /// The QP of the encoder without an offset.
        let base: Double

        /// Learns from a picture. A rise counts at once, because it threatens the buffer. The picture's own average QP
        /// does not count: blocks without residual have none.
        mutating func learn(bits: Double, offset: Double, share: Double) {
            let found = max(bits, 64) * pow(2, (base + offset) / 6)
            let known = complexity ?? found
            complexity = known + (found - known) * (found > 1.4 * known ? max(share, 0.7) : share)
        }
    }

    /// The fullness that the buffer is kept at, as a fraction.
    private static let fullness = 0.6
    /// The fullness at the first frame, as a fraction.
    private static let opening = 0.9
    /// The most of the buffered bits that a key frame may take, and that another frame may take, as fractions.
    private static let keyShare = 0.6
    private static let frameShare = 0.8
    /// The least fraction of the buffered bits for the first frame of a scene.
    private static let cutShare = 0.25
    /// The ratio of the bits of a frame without references to those of another frame, before it is measured.
    private static let keyRatio = 3.0
    private static let offsets = -51.0...51.0

    private let bounds: ClosedRange<Double>
    private var key: Kind
    private var other: Kind
    /// The ratio of a key frame's bits to those expected from its pixels.
    private var detailFactor = 1.0
    private var detail: (token: UInt64, complexity: Double)?
    /// The mean change from frame to frame, and whether the last frame began a scene.
    private var change: Double?
    private var lastIsCut = false
    private var inside: [Passed] = []
    private var bits: Double?
    private var size = 0.0
    /// The fraction of a new observation that counts. With B-frames, the mean needs more pictures.
    private let share: Double

    /// - Parameters:
    ///   - base: the encoder's QPs without offset, as far as is known.
    ///   - bounds: the QPs that the encoder may use.
    ///   - reorders: whether frames without references alternate with others.
    init(base: BaseQP, bounds: ClosedRange<Double>, reorders: Bool) {
        self.bounds = bounds
        key = Kind(base: base.ofKeyFrames)
        other = Kind(base: base.ofOthers)
        share = reorders ? 0.15 : 0.3
    }

    mutating func offset(
        token: UInt64, _ plan: RatePlan, seconds: Double, isKeyFrame: Bool, detail: PictureDetail, extra: Double,
        finest: Double?
    ) -> Double {
        let isCut = noteChange(detail, isKeyFrame: isKeyFrame)
        guard let buffer = plan.vbvBuffer, case let rate = Double(buffer.kilobitsPerSecond) * 1000, rate > 0 else {
            return finest ?? 0
        }
        let newSize = max(Double(buffer.kilobits) * 1000, rate * seconds)
        // After a change of the rate the buffer is as full as before, in proportion.
        var held = bits.map { size > 0 ? $0 * newSize / size : $0 } ?? newSize * Self.opening
        size = newSize
        if bits != nil { held = min(held + rate * seconds, newSize) }
        var wanted = wanted(plan, held: held, perFrame: rate * seconds, isKeyFrame: isKeyFrame)
        if isCut { wanted = max(wanted, Self.cutShare * held) }
        let qp = qp(
            wanted: wanted - extra, token: token, isKeyFrame: isKeyFrame, isCut: isCut, complexity: detail.complexity)
        var offset = (qp.value - (isKeyFrame ? key.base : other.base)).clamped(to: Self.offsets)
        if let finest { offset = max(offset, finest) }
        let used = (isKeyFrame ? key.base : other.base) + offset
        let expected = qp.complexity * pow(2, -used / 6) + extra
        bits = held - expected
        inside.append(Passed(token: token, offset: offset, expected: expected, isCut: isCut))
        return offset
    }

    /// Returns the bits that a frame may take.
    private func wanted(_ plan: RatePlan, held: Double, perFrame: Double, isKeyFrame: Bool) -> Double {
        let most = max(held * (isKeyFrame ? Self.keyShare : Self.frameShare), perFrame * 0.05)
        if isKeyFrame { return most }
        if case .quality = plan.aim { return most }
        // The excess or lack of bits in the buffer is compensated over a third of the buffer's duration.
        let frames = max(4, size / max(perFrame, 1) / 3)
        return min(max(perFrame + (held - Self.fullness * size) / frames, perFrame * 0.1), most)
    }

    /// Returns whether the frame begins a scene. If the frame after it differs as much, there is no scene, but motion
    /// or noise.
    private mutating func noteChange(_ detail: PictureDetail, isKeyFrame: Bool) -> Bool {
        guard let found = detail.change else { return false }
        let usual = change ?? found
        let isFar = found > 2.5 * usual + 1
        defer { lastIsCut = isFar && !isKeyFrame && !lastIsCut }
        if isFar && !lastIsCut { return !isKeyFrame }
        if isFar { other.complexity = max(other.complexity ?? 0, detail.complexity * detailFactor) }
        change = isFar ? found : usual + (found - usual) * 0.3
        return false
    }

    private mutating func qp(
        wanted: Double, token: UInt64, isKeyFrame: Bool, isCut: Bool, complexity: Double
    ) -> (value: Double, complexity: Double) {
        let whole = complexity * detailFactor
        var model: Double
        if isKeyFrame {
            model = whole
            detail = (token, complexity)
        } else {
            model = other.complexity ?? (key.complexity ?? whole) / Self.keyRatio
            if isCut { model = max(model, whole) }
        }
        model = max(model, 64)
        var value = 6 * log2(model / max(wanted, 64))
        if isKeyFrame, other.complexity != nil, let frame = inside.last {
            // A key frame is not much finer than the frames around it, which would waste bits.
            value = max(value, other.base + frame.offset - 6)
        }
        return (value.clamped(to: bounds), model)
    }

    mutating func note(token: UInt64, bits spent: Double, isKeyFrame: Bool) {
        guard let index = inside.firstIndex(where: { $0.token == token }) else { return }
        let passed = inside.remove(at: index)
        if let bits { self.bits = max(bits + passed.expected - spent, -2 * size) }
        if isKeyFrame {
            key.learn(bits: spent, offset: passed.offset, share: 0.7)
            if let detail, detail.token == token, let complexity = key.complexity {
                detailFactor = (complexity / detail.complexity).clamped(to: 0.02...50)
            }
        } else if !passed.isCut {
            other.learn(bits: spent, offset: passed.offset, share: share)
        }
    }
}

extension Double {
    func clamped(to range: ClosedRange<Double>) -> Double {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
