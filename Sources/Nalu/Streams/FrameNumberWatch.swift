/// Finds missing references of H.264 streams.
///
/// `frame_num` counts reference pictures, modulo 16 to 65536 (ITU-T H.264 7.4.3), so that a missing one leaves a gap. It is not
/// seen where all that is missing is a whole cycle of the count, or begins with an IDR picture, which restarts the count at
/// the very number that it would have reached. The latter is found by the picture order count, which restarts too: pictures
/// then are out of the order of their times, or not as far apart as their times say. The latter is only asked where all
/// pictures have the same duration: others may well be unevenly spaced.
struct FrameNumberWatch {
    private struct Picture {
        let order: Int
        let seconds: Double
        /// In seconds; not a number where it is not known.
        let duration: Double

        init(order: Int, of sample: Sample) {
            self.order = order
            seconds = sample.presentationTime.seconds
            duration = sample.duration.seconds
        }

        func lastsAsLong(as other: Picture) -> Bool {
            abs(duration - other.duration) < 0.1 * duration
        }
    }

    /// `frame_num` of the last reference picture; nil before the first picture.
    private var last: Int?
    private var counter = PictureOrderCounter()
    /// Whether the order counts from a reference picture, as it does but at the beginning and after a loss.
    private var hasAnchor = false
    /// The latest pictures since the last restart of the order.
    private var recent = RingBuffer<Picture>(capacity: Self.memory)
    /// Seconds a step of the picture order count, as the last pictures have it.
    private var step = 0.0
    /// How many pictures in succession have agreed with it.
    private var agreements = 0

    /// The longest distance that reordering makes.
    private static let memory = 16
    private static let steady = 8
    /// Pictures that may be missing behind a missing IDR picture, less one.
    private static let afterRestart = 4

    mutating func isReferenceMissing(
        before slice: SliceHeader, _ sequence: SequenceParameterSet, of sample: Sample
    ) -> Bool {
        let isFirst = last == nil
        let isExpected = follows(slice, sequence)
        let picture = Picture(order: counter.count(of: slice, in: sequence), of: sample)
        if slice.isIDR || slice.resetsReferences || isFirst || !isExpected { forget() }
        let isInPlace = fits(picture, slice)
        if !isInPlace { forget() }
        hasAnchor = hasAnchor || slice.unitHeader.isReference
        if hasAnchor { remember(picture) }
        if slice.unitHeader.isReference || isFirst || !isExpected {
            last = slice.resetsReferences ? 0 : slice.frameNumber
            if !slice.unitHeader.isReference, let number = last {
                // It does not count itself: the reference before it has the number before.
                last = (number + (1 << sequence.frameNumberBits) - 1) % (1 << sequence.frameNumberBits)
            }
        }
        return !slice.isIDR && !isFirst && !(isExpected && isInPlace)
    }

    private func follows(_ slice: SliceHeader, _ sequence: SequenceParameterSet) -> Bool {
        guard let last, !slice.isIDR, !sequence.allowsFrameNumberGaps else { return true }
        if slice.isField && slice.frameNumber == last { return true }
        return slice.frameNumber == (last + 1) % (1 << sequence.frameNumberBits)
    }

    private mutating func forget() {
        recent = RingBuffer(capacity: Self.memory)
        hasAnchor = false
    }

    private mutating func remember(_ picture: Picture) {
        if recent.count == Self.memory { _ = recent.popFirst() }
        recent.append(picture)
    }

    /// Whether order and time of the picture agree with those before.
    private mutating func fits(_ picture: Picture, _ slice: SliceHeader) -> Bool {
        guard !slice.isIDR, let before = recent[recent.count - 1] else { return true }
        for index in 0..<recent.count {
            guard let other = recent[index] else { continue }
            if (picture.order > other.order) != (picture.seconds > other.seconds) { return false }
        }
        let orders = Double(picture.order - before.order)
        let seconds = picture.seconds - before.seconds
        guard orders != 0, before.lastsAsLong(as: picture) else {
            agreements = 0
            return true
        }
        if abs(seconds - orders * step) < 0.9 * step {
            agreements += 1
            return true
        }
        let wasSteady = agreements >= Self.steady
        agreements = 0
        step = seconds / orders
        return !(wasSteady && slice.frameNumber < Self.afterRestart)
    }
}
