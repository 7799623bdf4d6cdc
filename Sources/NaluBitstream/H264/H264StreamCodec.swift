/// The H.264 part of an ``AccessUnitAssembler`` (ITU-T H.264 7.4.1.2.3 and 7.4.1.2.4).
package struct H264StreamCodec: StreamCodec {
    package typealias Picture = H264Picture

    package private(set) var sets = H264ParameterSetStore()
    private var active: StoredParameterSet<SequenceParameterSet>?
    private var counter = PictureOrderCounter()
    private var referenceFrameNumber: Int?

    package init() {}

    package static let videoCodec = VideoCodec.h264
    package static let headerSize = 1

    package static func look(_ first: UInt8, _ second: UInt8?) -> (kind: StreamUnitKind, place: StreamUnitPlace) {
        let header = NALUnitHeader(rawValue: first)
        if header.hasForbiddenBit { return (.malformed, .anywhere) }
        if header.hasSliceHeader { return (.slice, .anywhere) }
        let kind: StreamUnitKind =
            switch header.type {
            case .sequenceParameterSet: .sequenceParameterSet
            case .pictureParameterSet: .otherParameterSet
            case .supplementalEnhancementInformation: .messages
            default: .other
            }
        return (kind, header.type.place)
    }

    package static func messages(of unit: [UInt8]) -> [SEIMessage] { SEIMessage.messages(of: unit) }

    package var hasParameterSets: Bool { !sets.isEmpty }

    package mutating func add(parameterSet unit: [UInt8]) throws(NaluError) {
        try sets.add(unit)
    }

    package func slice(_ head: UnsafeRawBufferPointer) throws(NaluError) -> H264Slice {
        try unsafe sets.slice(head)
    }

    package static func beginsPicture(_ head: [UInt8]) -> Bool {
        (try? SliceStart(parsing: head))?.firstMacroblock == 0
    }

    package mutating func place(_ slice: H264Slice, isSynchronized: Bool) -> PicturePlace {
        PicturePlace(
            order: counter.count(of: slice.header, in: slice.sequence.content),
            restartsOrder: slice.header.isIDR || slice.header.resetsReferences)
    }

    package mutating func activate(_ slice: H264Slice) throws(NaluError) {
        defer { active = slice.sequence }
        // Spliced broadcasts change other fields without an IDR picture, and every decoder continues.
        if let active, !slice.header.isIDR, !active.content.hasPictures(like: slice.sequence.content) {
            throw NaluError(
                .badData,
                "the pictures' size or format changes without an IDR picture; samples are dropped up to the next "
                    + "key frame")
        }
    }

    package var tally: ParameterSetTally { sets.tally }

    package func formatUnits(for slice: H264Slice) throws(NaluError) -> [[UInt8]] {
        sets.units(for: slice.sequence)
    }

    package func firstFormatUnits() throws(NaluError) -> [[UInt8]]? {
        guard let sequence = sets.firstSequence else { return nil }
        return sets.units(for: sequence)
    }

    /// Whether `frame_num` shows a missing picture: it grows by one after each reference picture (ITU-T H.264 7.4.3).
    package mutating func hasGap(before slice: H264Slice) -> Bool {
        let header = slice.header
        var isGap = false
        if let before = referenceFrameNumber, !header.isIDR, header.frameNumber != before,
            header.frameNumber != (before + 1) % (1 << slice.sequence.content.frameNumberBits)
        {
            isGap = true
        }
        if header.unitHeader.isReference {
            referenceFrameNumber = header.resetsReferences ? 0 : header.frameNumber
        } else if header.isIDR {
            referenceFrameNumber = 0
        }
        return isGap
    }

    package mutating func endSequence() {}
}
