/// The H.265 part of an ``AccessUnitAssembler`` (ITU-T H.265 7.4.2.4.4 and 7.4.2.4.5). NAL units of layers other than
/// the base layer are kept but not interpreted.
package struct HEVCStreamCodec: StreamCodec {
    package typealias Picture = HEVCPicture

    package private(set) var sets = HEVCParameterSetStore()
    private var active: StoredParameterSet<HEVCSequenceParameterSet>?
    private var counter = HEVCPictureOrderCounter()
    /// Whether the next picture is the first one of the stream, or follows an end of sequence.
    private var beginsSequence = true
    /// Whether RASL pictures of the last random access picture cannot be decoded: they refer to pictures before it.
    private var skipsLeading = true

    package init() {}

    package static let videoCodec = VideoCodec.hevc
    package static let headerSize = 2

    package static func look(_ first: UInt8, _ second: UInt8?) -> (kind: StreamUnitKind, place: StreamUnitPlace) {
        guard let second else { return (.malformed, .anywhere) }
        let header = HEVCUnitHeader(rawValue: UInt16(first) << 8 | UInt16(second))
        guard header.isSound else { return (.malformed, .anywhere) }
        guard header.layerID == 0 else { return (.other, .anywhere) }
        if header.type.isSlice { return (.slice, .anywhere) }
        let kind: StreamUnitKind =
            switch header.type {
            case .sequenceParameterSet: .sequenceParameterSet
            case .videoParameterSet, .pictureParameterSet: .otherParameterSet
            case .prefixSEI: .messages
            case .endOfSequence, .endOfBitstream: .endOfSequence
            default: .other
            }
        return (kind, header.type.place)
    }

    package static func messages(of unit: [UInt8]) -> [SEIMessage] { SEIMessage.hevcMessages(of: unit) }

    package var hasParameterSets: Bool { !sets.isEmpty }

    package mutating func add(parameterSet unit: [UInt8]) throws(NaluError) {
        try sets.add(unit)
    }

    package func slice(_ head: UnsafeRawBufferPointer) throws(NaluError) -> HEVCSlice {
        try unsafe sets.slice(head)
    }

    package static func beginsPicture(_ head: [UInt8]) -> Bool {
        (try? HEVCSliceStart(parsing: head))?.isFirstOfPicture == true
    }

    package mutating func place(_ slice: HEVCSlice, isSynchronized: Bool) -> PicturePlace {
        let type = slice.header.unitHeader.type
        var restarts = false
        if type.isRandomAccess {
            // NoRaslOutputFlag: a CRA picture with another SPS, or after a loss, is handled as BLA (8.1.3).
            restarts =
                type != .cleanRandomAccess || beginsSequence || !isSynchronized
                || active?.hasSameContent(as: slice.sequence) == false
            skipsLeading = restarts
        }
        beginsSequence = false
        return PicturePlace(
            order: counter.count(of: slice.header, in: slice.sequence.content, restarts: restarts),
            restartsOrder: restarts,
            isLeftOut: skipsLeading && type.isSkippedLeading)
    }

    package mutating func activate(_ slice: HEVCSlice) throws(NaluError) {
        defer { active = slice.sequence }
        if let active, !active.hasSameContent(as: slice.sequence), !slice.header.unitHeader.type.isRandomAccess {
            throw NaluError(
                .badData,
                "the sequence parameter set changes without a random access picture; samples are dropped up to "
                    + "the next one")
        }
    }

    package var tally: ParameterSetTally { sets.tally }

    package func formatUnits(for slice: HEVCSlice) throws(NaluError) -> [[UInt8]] {
        try sets.units(for: slice.sequence)
    }

    package func firstFormatUnits() throws(NaluError) -> [[UInt8]]? {
        guard let sequence = sets.firstSequence else { return nil }
        return try sets.units(for: sequence)
    }

    /// Returns false: H.265 pictures have no numbers in decoding order.
    package mutating func hasGap(before slice: HEVCSlice) -> Bool { false }

    package mutating func endSequence() {
        beginsSequence = true
    }
}
