/// Finds missing references of H.265 streams.
///
/// Each slice names all pictures that a decoder is to hold (ITU-T H.265 8.3.2), and says which of them its picture can refer
/// to: one of these that has not come is lost. The others may well be absent, as those of a sub-layer that was left out are.
/// Pictures are named by their order, so that those from before a lost IDR or BLA picture can be taken for those after
/// it: such a restart is found by the times.
package struct RPSLossDetector {
    private var counter = HEVCPictureOrderCounter()
    private var orders = POCDiscontinuityDetector()
    /// The picture order counts of what a decoder holds.
    private var held: [Int] = []
    private var active: StoredParameterSet<HEVCSequenceParameterSet>?
    /// The next picture is the first one of the stream, or follows an end of sequence.
    private var beginsSequence = true
    /// Whether a picture has come from which others count their order.
    private var hasAnchor = false
    /// Leading pictures of the last random access picture refer to what was never there, or to another stream.
    private var skipsLeading = false
    /// A loss has been reported, and no random access picture has come since.
    private var isBroken = false

    package init() {
        held.reserveCapacity(1 + HEVCShortTermReferences.maximumCount + HEVCLongTermReferences.maximumCount)
    }

    package mutating func endSequence() {
        beginsSequence = true
    }

    /// What is missing for the next picture, of which this is the first slice segment.
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
        let set = ReferencePictureSet(
            of: header, order: order, lsbCount: 1 << slice.sequence.content.picOrderCountBits)
        let isInPlace = fits(
            TimedPicture(order: set.order, times), restarts: !hasAnchor,
            reorders: slice.sequence.content.reorderDepth > 0)
        let isSameSequence = active?.says(theSameAs: slice.sequence) != false
        active = slice.sequence
        // What was held belongs to another count.
        if !isInPlace || !isSameSequence { held.removeAll(keepingCapacity: true) }
        var isMissing = false
        if type.isRandomAccess {
            // What was made up may have the leading pictures of a CRA picture refer to it.
            if isBroken { held.removeAll(keepingCapacity: true) }
            isBroken = false
        } else if hasAnchor {
            isMissing = !isInPlace || !isSameSequence || set.usesOther(than: held)
        }
        held.removeAll { !set.names($0) }
        if type.isSkippedLeading, skipsLeading { return .leadingPicture }
        if isMissing, type.isSkippedLeading || type.isDecodableLeading { return .leadingPicture }
        // As decoders do, takes for there from now on what is not.
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

    /// Whether order and time of the picture agree with those before.
    private mutating func fits(_ picture: TimedPicture, restarts: Bool, reorders: Bool) -> Bool {
        if restarts { orders.forget() }
        let highest = orders.highest ?? 0
        let isInPlace =
            switch orders.look(at: picture, reorders: reorders) {
            case .agrees: true
            case .outOfOrder: false
            // A restart comes after all pictures so far: less than so far is no lost one.
            case .apart(let more): more < Double(highest) + 0.5
            }
        if !isInPlace { orders.forget() }
        orders.remember(picture)
        return isInPlace
    }
}
