/// Finds missing references of H.265 streams.
///
/// Each slice names all pictures that a decoder must hold (ITU-T H.265 8.3.2), and states which of them its picture can
/// refer to. A picture that can be referred to and has not arrived is lost. The others may be absent, like those of a
/// sub-layer that was left out. Pictures are named by their order. Pictures from before a lost IDR or BLA picture can
/// therefore be confused with later ones. The times reveal such a restart.
package struct RPSLossDetector {
    private var counter = HEVCPictureOrderCounter()
    private var orders = POCDiscontinuityDetector()
    /// The picture order counts of the pictures that a decoder holds.
    private var held: [Int] = []
    private var active: StoredParameterSet<HEVCSequenceParameterSet>?
    /// Whether the next picture is the first one of the stream, or follows an end of sequence.
    private var beginsSequence = true
    /// Whether a picture has arrived from which others derive their order.
    private var hasAnchor = false
    /// Whether RASL pictures of the last random access picture refer to pictures that never existed, or to another
    /// stream.
    private var skipsLeading = false
    /// Whether a loss has been reported, and no random access picture has arrived since.
    private var isBroken = false

    package init() {
        held.reserveCapacity(1 + HEVCShortTermReferences.maximumCount + HEVCLongTermReferences.maximumCount)
    }

    package mutating func endSequence() {
        beginsSequence = true
    }

    /// Returns the loss before the next picture. `slice` is the first slice segment of that picture.
    package mutating func look(at slice: HEVCSlice, at times: PictureTimes) -> LossFinding {
        report(on: slice, at: times).finding
    }

    mutating func report(on slice: HEVCSlice, at times: PictureTimes) -> SliceReport {
        let (order, restarts) = count(slice)
        return SliceReport(
            finding: look(at: slice, order: order, at: times),
            place: PicturePlace(order: order, restartsOrder: restarts),
            isDecodableLeading: slice.header.unitHeader.type.isDecodableLeading)
    }

    private mutating func look(at slice: HEVCSlice, order: Int, at times: PictureTimes) -> LossFinding {
        let header = slice.header
        let type = header.unitHeader.type
        let set = ReferencePictureSet(of: header, order: order, lsbCount: 1 << slice.sequence.content.picOrderCountBits)
        let isInPlace = fits(
            TimedPicture(order: set.order, times), restarts: !hasAnchor,
            reorderDepth: slice.sequence.content.reorderDepth)
        let isSameSequence = active?.hasSameContent(as: slice.sequence) != false
        active = slice.sequence
        // The held pictures belong to another count.
        if !isInPlace || !isSameSequence { held.removeAll(keepingCapacity: true) }
        var isMissing = false
        if type.isRandomAccess {
            // Leading pictures of a CRA may refer to a generated (missing) picture.
            if isBroken { held.removeAll(keepingCapacity: true) }
            isBroken = false
        } else if hasAnchor {
            isMissing = !isInPlace || !isSameSequence || set.usesOther(than: held)
        }
        held.removeAll { !set.names($0) }
        if type.isSkippedLeading, skipsLeading { return .leadingPicture }
        if isMissing, type.isSkippedLeading || type.isDecodableLeading { return .leadingPicture }
        // Like decoders, treats missing pictures as held from now on.
        if isMissing || !hasAnchor { set.addAll(to: &held) }
        held.append(set.order)
        hasAnchor = hasAnchor || header.isOrderAnchor
        isBroken = isBroken || isMissing
        return isMissing ? .referenceMissing : .nothing
    }

    private mutating func count(_ slice: HEVCSlice) -> (order: Int, restarts: Bool) {
        let type = slice.header.unitHeader.type
        // NoRaslOutputFlag.
        let restarts = type.isRandomAccess && (type != .cleanRandomAccess || beginsSequence)
        beginsSequence = false
        if type.isRandomAccess { skipsLeading = restarts }
        if restarts {
            held.removeAll(keepingCapacity: true)
            orders.forget()
        }
        return (counter.count(of: slice.header, in: slice.sequence.content, restarts: restarts), restarts)
    }

    /// Whether order and time of the picture agree with those of earlier pictures.
    private mutating func fits(_ picture: TimedPicture, restarts: Bool, reorderDepth: Int) -> Bool {
        if restarts { orders.forget() }
        let highest = orders.highest ?? 0
        var isInPlace = true
        switch orders.look(at: picture, reorderDepth: reorderDepth) {
        case .agrees: break
        case .outOfOrder: isInPlace = false
        case .apart(let more):
            // A lost restart comes after all earlier pictures, so that the count must be apart by more than their
            // highest order.
            isInPlace = more < Double(highest) + 0.5
            if isInPlace { orders.distrustDurations() }
        }
        if !isInPlace { orders.forget() }
        orders.remember(picture)
        return isInPlace
    }
}
