/// Finds missing references of H.264 streams.
///
/// `frame_num` counts reference pictures, modulo 16 to 65536 (ITU-T H.264 7.4.3), so that a missing one leaves a gap. It is not
/// seen where all that is missing is a whole cycle of the count, or begins with an IDR picture, which restarts the count at
/// the very number that it would have reached. The latter is found by the picture order count, which restarts too.
struct FrameNumGapDetector {
    /// `frame_num` of the last reference picture; nil before the first picture.
    private var last: Int?
    private var counter = PictureOrderCounter()
    private var orders = POCDiscontinuityDetector()
    /// Whether the order counts from a reference picture, as it does but at the beginning and after a loss.
    private var hasAnchor = false

    /// Pictures that may be missing after a missing IDR picture, less one.
    private static let afterRestart = 4

    mutating func isReferenceMissing(
        before slice: SliceHeader, _ sequence: SequenceParameterSet, at times: PictureTimes
    ) -> Bool {
        let isFirst = last == nil
        let isExpected = follows(slice, sequence)
        let picture = TimedPicture(order: counter.count(of: slice, in: sequence), times)
        if slice.isIDR || slice.resetsReferences || isFirst || !isExpected { forget() }
        let isInPlace = fits(picture, slice)
        if !isInPlace { forget() }
        hasAnchor = hasAnchor || slice.unitHeader.isReference
        if hasAnchor { orders.remember(picture) }
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
        orders.forget()
        hasAnchor = false
    }

    /// Whether order and time of the picture agree with those before.
    private mutating func fits(_ picture: TimedPicture, _ slice: SliceHeader) -> Bool {
        switch orders.look(at: picture) {
        case .agrees: true
        case .outOfOrder: false
        case .apart: slice.frameNumber >= Self.afterRestart
        }
    }
}
