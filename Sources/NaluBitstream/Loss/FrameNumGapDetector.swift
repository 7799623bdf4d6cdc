/// Finds missing references of H.264 streams.
///
/// `frame_num` counts reference pictures, modulo 16 to 65536 (ITU-T H.264 7.4.3), so that a missing one leaves a gap. It is not
/// seen where all that is missing is a whole cycle of the count, or begins with an IDR picture, which restarts the count at
/// the very number that it would have reached. The latter is found by the picture order count, which restarts too.
///
/// A picture that none refers to has the number after that of the last reference picture. Some encoders break that and
/// repeat the number: x264 did up to 2006, and others do. What a stream does shows with the first such picture after each
/// intra picture.
struct FrameNumGapDetector {
    /// `frame_num` of the last reference picture; nil before the first picture.
    private var last: Int?
    private var counter = PictureOrderCounter()
    private var orders = POCDiscontinuityDetector()
    /// Whether pictures that none refers to repeat the number of the reference picture before them; nil before the first.
    private var repeatsNumber: Bool?
    /// The next such picture may say otherwise: an intra picture has come since the last.
    private var isOpen = true
    /// It did once, which a lost picture may have been the reason for.
    private var isDoubted = false
    /// Whether the order counts from a reference picture, as it does but at the beginning and after a loss.
    private var hasAnchor = false

    /// Pictures that may be missing after a missing IDR picture, less one.
    private static let afterRestart = 4

    /// Whether a reference picture is missing before the slice's picture, and the picture's place in output order.
    mutating func look(
        at slice: SliceHeader, _ sequence: SequenceParameterSet, at times: PictureTimes
    ) -> (isMissing: Bool, order: Int) {
        let isFirst = last == nil
        learn(slice, sequence)
        let isExpected = follows(slice, sequence)
        let picture = TimedPicture(order: counter.count(of: slice, in: sequence), times)
        if slice.isIDR || slice.resetsReferences || isFirst || !isExpected { forget() }
        let isInPlace = fits(picture, slice, reorders: sequence.outputDelay > 0 || sequence.isOutputDelayUnsure)
        if !isInPlace { forget() }
        hasAnchor = hasAnchor || slice.unitHeader.isReference
        if hasAnchor { orders.remember(picture) }
        if slice.unitHeader.isReference || isFirst || !isExpected {
            last = slice.resetsReferences ? 0 : slice.frameNumber
            if !slice.unitHeader.isReference, repeatsNumber != true, let number = last {
                // It does not count itself: the reference before it has the number before.
                last = (number + (1 << sequence.frameNumberBits) - 1) % (1 << sequence.frameNumberBits)
            }
        }
        return (!slice.isIDR && !isFirst && !(isExpected && isInPlace), picture.order)
    }

    private mutating func learn(_ slice: SliceHeader, _ sequence: SequenceParameterSet) {
        if slice.unitHeader.isReference {
            isOpen = isOpen || slice.start.type.isIntra
            return
        }
        guard isOpen, !slice.isField, let last else { return }
        if slice.frameNumber == last {
            (repeatsNumber, isDoubted, isOpen) = (true, false, false)
        } else if slice.frameNumber == next(last, sequence) {
            let isNew = repeatsNumber == true && !isDoubted
            if !isNew { repeatsNumber = false }
            (isDoubted, isOpen) = (isNew, false)
        }
    }

    private func follows(_ slice: SliceHeader, _ sequence: SequenceParameterSet) -> Bool {
        guard let last, !slice.isIDR, !sequence.allowsFrameNumberGaps else { return true }
        if slice.isField && slice.frameNumber == last { return true }
        if !slice.unitHeader.isReference, repeatsNumber == true { return slice.frameNumber == last }
        return slice.frameNumber == next(last, sequence)
    }

    private func next(_ number: Int, _ sequence: SequenceParameterSet) -> Int {
        (number + 1) % (1 << sequence.frameNumberBits)
    }

    private mutating func forget() {
        orders.forget()
        hasAnchor = false
    }

    /// Whether order and time of the picture agree with those before.
    private mutating func fits(_ picture: TimedPicture, _ slice: SliceHeader, reorders: Bool) -> Bool {
        switch orders.look(at: picture, reorders: reorders) {
        case .agrees: true
        case .outOfOrder: false
        case .apart: slice.frameNumber >= Self.afterRestart
        }
    }
}
