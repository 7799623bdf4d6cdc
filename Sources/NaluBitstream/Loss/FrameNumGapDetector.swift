/// Finds missing references of H.264 streams.
///
/// `frame_num` counts reference pictures, modulo 16 to 65536 (ITU-T H.264 7.4.3), so that a missing picture leaves a
/// gap. Two losses leave no gap. One is the loss of a whole cycle of the count. The other is a loss that begins with an
/// IDR picture, if the restarted count happens to reach the expected number. The picture order count reveals the second
/// loss, as it restarts too.
///
/// A picture that no other refers to has the number after that of the last reference picture. Some encoders repeat the
/// number instead: x264 did so up to 2006. The first such picture after each intra picture shows which rule the stream
/// follows.
struct FrameNumGapDetector {
    /// `frame_num` of the last reference picture; nil before the first picture.
    private var last: Int?
    private var counter = PictureOrderCounter()
    private var orders = POCDiscontinuityDetector()
    /// Whether non-reference pictures repeat the number of the reference picture before them; nil before the first of
    /// them.
    private var repeatsNumber: Bool?
    /// Whether the next non-reference picture may change ``repeatsNumber``: an intra picture has arrived since the last
    /// one.
    private var isOpen = true
    /// Whether a non-reference picture has contradicted ``repeatsNumber`` once. A lost picture may be the reason.
    private var isDoubted = false
    /// Whether the picture order counts from a reference picture. False at the beginning and after a loss.
    private var hasAnchor = false

    /// The `frame_num` from which on a jump of the picture order no longer indicates a missing IDR picture.
    private static let afterRestart = 4

    /// Returns whether a reference picture is missing before the slice's picture, and the picture order count.
    mutating func look(
        at slice: SliceHeader, _ sequence: SequenceParameterSet, at times: PictureTimes
    ) -> (isMissing: Bool, order: Int) {
        let isFirst = last == nil
        learn(slice, sequence)
        let isExpected = follows(slice, sequence)
        let picture = TimedPicture(order: counter.count(of: slice, in: sequence), times)
        if slice.isIDR || slice.resetsReferences || isFirst || !isExpected { forget() }
        let isInPlace = fits(picture, slice, sequence)
        if !isInPlace { forget() }
        hasAnchor = hasAnchor || slice.unitHeader.isReference
        if hasAnchor { orders.remember(picture) }
        if slice.unitHeader.isReference || isFirst || !isExpected {
            last = slice.resetsReferences ? 0 : slice.frameNumber
            if !slice.unitHeader.isReference, repeatsNumber != true, let number = last {
                // This picture's number is one more than that of the reference picture before it.
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

    /// Whether order and time of the picture agree with those of earlier pictures.
    private mutating func fits(
        _ picture: TimedPicture, _ slice: SliceHeader, _ sequence: SequenceParameterSet
    ) -> Bool {
        let reorderDepth = sequence.isOutputDelayUnsure ? 16 : sequence.outputDelay
        // After a lost IDR picture, as many reference pictures are lost as `frame_num` has counted, from 0 on. Some of them
        // can be displayed after this picture.
        let lostCount = slice.frameNumber - sequence.outputDelay
        switch orders.look(at: picture, reorderDepth: reorderDepth, lostCount: lostCount) {
        case .agrees: return true
        case .outOfOrder: return false
        case .apart:
            guard slice.frameNumber >= Self.afterRestart else { return false }
            orders.distrustDurations()
            return true
        }
    }
}
