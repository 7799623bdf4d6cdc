internal import Nalu

/// Reads H.265 NAL units; of other layers than the base layer it notes only that they are there.
struct HEVCReader: CodecReader {
    private(set) var sets = ParameterSetTable()
    private var active = ActiveSets<HEVCSequenceParameterSet, HEVCPictureParameterSet>()
    private var firstVideo: HEVCVideoParameterSet?
    private var counter = HEVCPictureOrderCounter()
    /// The last slice segment of the picture under way that is not dependent.
    private var last: HEVCSliceHeader?
    /// The next picture is the first of the stream, or follows an end of sequence.
    private var beginsSequence = true

    static let recoveryMakesKeys = false

    static func headLimit(_ firstByte: UInt8) -> Int {
        let type = HEVCUnitType(rawValue: firstByte >> 1 & 63)
        switch type {
        case .videoParameterSet, .sequenceParameterSet, .pictureParameterSet, .prefixSEI, .suffixSEI: return 1 << 16
        default: return type.isSlice ? 1 << 12 : 16
        }
    }

    var description: StreamDescription? {
        active.firstSequence.map { StreamDescription($0, picture: active.firstPicture, video: firstVideo) }
    }

    mutating func add(_ unit: ScannedUnit, to assembler: inout PictureAssembler) -> String? {
        guard let header = HEVCUnitHeader(of: unit.head), header.isSound else {
            assembler.add(unit, beginsAccessUnit: false)
            return "a NAL unit whose header is not sound"
        }
        let isOfBase = header.layerID == 0
        if isOfBase, header.type.isSlice { return addSlice(unit, header, to: &assembler) }
        assembler.add(unit, beginsAccessUnit: isOfBase && header.type.standsBeforePicture)
        if header.type == .endOfSequence || header.type == .endOfBitstream { beginsSequence = true }
        return nil
    }

    private mutating func addSlice(
        _ unit: ScannedUnit, _ unitHeader: HEVCUnitHeader, to assembler: inout PictureAssembler
    ) -> String? {
        let type = unitHeader.type
        let start = try? HEVCSliceStart(parsing: Array(unit.head.prefix(64)))
        let (read, problem) = active.read(ofPicture: start?.pictureParameterSetID) {
            (picture, sequence) throws(NaluError) in
            try HEVCSliceHeader(parsing: unit.head, pictureParameterSet: picture, sequenceParameterSet: sequence)
        }
        var facts = SliceFacts(
            access: type.isIDR ? .idr : type.isBrokenLink ? .bla : type.isRandomAccess ? .cra : nil)
        if !assembler.hasSlices {
            last = nil
        } else if beginsPicture(start, read?.header) {
            assembler.endAccessUnit()
            last = nil
        }
        // Pictures of all but the highest sub-layer may be referred to by those above.
        let highest = (read?.sequence.subLayerCount ?? 1) - 1
        facts.isReference = !type.isSubLayerNonReference || unitHeader.temporalID < highest
        if let (header, sequence) = read, !header.isDependent {
            facts.type = header.type
            if last == nil { facts.picture = picture(header, sequence) }
            last = header
        }
        assembler.addSlice(unit, facts)
        return problem
    }

    /// ITU-T H.265 7.4.2.4.5; also where the first segment of a picture has been lost.
    private func beginsPicture(_ start: HEVCSliceStart?, _ header: HEVCSliceHeader?) -> Bool {
        guard let start, !start.isFirstOfPicture else { return start != nil }
        guard let header, !header.isDependent, let last else { return false }
        return header.picOrderCountLSB != last.picOrderCountLSB || header.unitHeader.type != last.unitHeader.type
    }

    private mutating func picture(_ header: HEVCSliceHeader, _ sequence: HEVCSequenceParameterSet) -> PictureFacts {
        let type = header.unitHeader.type
        // NoRaslOutputFlag (8.1.3).
        let restarts = type.isRandomAccess && (type != .cleanRandomAccess || beginsSequence)
        beginsSequence = false
        return PictureFacts(
            pictureOrderCount: counter.count(of: header, in: sequence, restarts: restarts), restartsOrder: restarts,
            layer: TemporalPlace(type: type, temporalID: header.unitHeader.temporalID, isShown: header.isShown))
    }

    mutating func addSet(_ unit: ScannedUnit) {
        guard let header = HEVCUnitHeader(of: unit.head), header.layerID == 0 else { return }
        switch header.type {
        case .videoParameterSet:
            let set = sets.add(unit, .video, id: \HEVCVideoParameterSet.id) { (bytes) throws(NaluError) in
                try HEVCVideoParameterSet(parsing: bytes)
            } elements: { _ in
                HEVCVideoParameterSet.elements(of: unit.head)
            }
            firstVideo = firstVideo ?? set
        case .sequenceParameterSet:
            let set = sets.add(unit, .sequence, id: \HEVCSequenceParameterSet.id) { (bytes) throws(NaluError) in
                try HEVCSequenceParameterSet(parsing: bytes)
            } elements: { _ in
                HEVCSequenceParameterSet.elements(of: unit.head)
            }
            if let set { active.add(sequence: set, id: set.id) }
        case .pictureParameterSet:
            let set = sets.add(unit, .picture, id: \HEVCPictureParameterSet.id) { (bytes) throws(NaluError) in
                try HEVCPictureParameterSet(parsing: bytes)
            } elements: { _ in
                HEVCPictureParameterSet.elements(of: unit.head)
            }
            if let set { active.add(picture: set, id: set.id, sequence: set.sequenceParameterSetID) }
        default: break
        }
    }

    func messages(of unit: [UInt8]) -> [(message: SEIMessage, elements: [SyntaxElement])] {
        SEIMessage.hevcMessages(of: unit).map { ($0, $0.hevcElements(sequence: active.sequence)) }
    }
}
