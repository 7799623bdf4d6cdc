internal import NaluBase
internal import NaluBitstream

/// Interprets H.265 NAL units. Units of layers above the base layer are only counted as present.
struct HEVCReader: CodecReader {
    private(set) var sets = ParameterSetTable()
    private var codec = HEVCStreamCodec()
    private var firstVideo: HEVCVideoParameterSet?
    private var firstSequence: HEVCSequenceParameterSet?
    private var firstPicture: HEVCPictureParameterSet?
    private var lastSequenceID = -1
    /// The picture whose slices are being read.
    private var picture = HEVCPicture()
    private var hasPlace = false

    static let recoveryMakesKeys = false

    static func headLimit(_ firstByte: UInt8) -> Int {
        let type = HEVCUnitType(rawValue: firstByte >> 1 & 63)
        switch type {
        case .videoParameterSet, .sequenceParameterSet, .pictureParameterSet, .prefixSEI, .suffixSEI: return 1 << 16
        default: return type.isSlice ? 1 << 12 : 16
        }
    }

    var description: StreamDescription? {
        firstSequence.map { StreamDescription($0, picture: firstPicture, video: firstVideo) }
    }

    mutating func add(_ unit: ScannedUnit, to assembler: inout PictureAssembler) -> String? {
        guard let header = HEVCUnitHeader(of: unit.head), header.isSound else {
            assembler.add(unit, place: .anywhere)
            return "a NAL unit with an invalid header"
        }
        let isOfBase = header.layerID == 0
        if isOfBase, header.type.isSlice { return addSlice(unit, header, to: &assembler) }
        assembler.add(unit, place: isOfBase ? header.type.place : .anywhere)
        if header.type == .endOfSequence || header.type == .endOfBitstream { codec.endSequence() }
        return nil
    }

    private mutating func addSlice(
        _ unit: ScannedUnit, _ unitHeader: HEVCUnitHeader, to assembler: inout PictureAssembler
    ) -> String? {
        let type = unitHeader.type
        let start = try? HEVCSliceStart(parsing: Array(unit.head.prefix(64)))
        let (slice, problem) = Self.read(unit.head, with: codec, picture: start?.pictureParameterSetID) {
            codec.sets.picture($0).map { sequence(of: $0.content) }
        }
        var facts = SliceFacts(access: type.isIDR ? .idr : type.isBrokenLink ? .bla : type.isRandomAccess ? .cra : nil)
        let begins = slice.map(picture.isFollowed) ?? (start?.isFirstOfPicture == true)
        if assembler.hasSlices, begins { assembler.endAccessUnit() }
        if !assembler.hasSlices { (picture, hasPlace) = (HEVCPicture(), false) }
        // Pictures of sub-layers below the highest can be references for the sub-layers above.
        let highest = (slice?.sequence.content.subLayerCount ?? 1) - 1
        facts.isReference = !type.isSubLayerNonReference || unitHeader.temporalID < highest
        if let slice { picture.add(slice) }
        if let slice, !slice.header.isDependent {
            facts.type = slice.header.type
            if !hasPlace { facts.picture = place(slice) }
            hasPlace = true
        }
        assembler.addSlice(unit, facts)
        return problem
    }

    private func sequence(of picture: HEVCPictureParameterSet) -> (id: Int, isThere: Bool) {
        let id = picture.sequenceParameterSetID
        return (id, codec.sets.sequence(id) != nil)
    }

    private mutating func place(_ slice: HEVCSlice) -> PictureFacts {
        let header = slice.header.unitHeader
        let place = codec.place(slice, isSynchronized: true)
        return PictureFacts(
            pictureOrderCount: place.order, restartsOrder: place.restartsOrder,
            layer: TemporalPosition(type: header.type, temporalID: header.temporalID, isShown: slice.header.isShown))
    }

    mutating func addSet(_ unit: ScannedUnit) {
        guard let header = HEVCUnitHeader(of: unit.head), header.layerID == 0 else { return }
        switch header.type {
        case .videoParameterSet:
            let set = add(unit, .video, id: \.id, HEVCVideoParameterSet.init(parsing:), HEVCVideoParameterSet.elements)
            firstVideo = firstVideo ?? set
        case .sequenceParameterSet:
            let set = add(
                unit, .sequence, id: \.id, HEVCSequenceParameterSet.init(parsing:), HEVCSequenceParameterSet.elements)
            firstSequence = firstSequence ?? set
            lastSequenceID = set?.id ?? lastSequenceID
        case .pictureParameterSet:
            let set = add(
                unit, .picture, id: \.id, HEVCPictureParameterSet.init(parsing:), HEVCPictureParameterSet.elements)
            firstPicture = firstPicture ?? set
        default: break
        }
    }

    private mutating func add<Content>(
        _ unit: ScannedUnit, _ kind: ParameterSetRecord.Kind, id: KeyPath<Content, Int>,
        _ parse: ([UInt8]) throws(NaluError) -> Content,
        _ elements: ([UInt8]) -> (elements: [SyntaxElement], error: NaluError?)
    ) -> Content? {
        let set = sets.add(unit, kind, id: id, parse: parse) { _ in elements(unit.head) }
        // ``ParameterSetTable`` has already recorded the error of an invalid set.
        if set != nil { try? codec.add(parameterSet: unit.head) }
        return set
    }

    func messages(of unit: [UInt8]) -> [(message: SEIMessage, elements: [SyntaxElement])] {
        SEIMessage.hevcMessages(of: unit).map { message in
            (message, message.hevcElements { codec.sets.sequence($0 ?? lastSequenceID)?.content })
        }
    }
}
