internal import NaluBase
internal import NaluBitstream

/// Interprets H.264 NAL units.
struct H264Reader: CodecReader {
    private(set) var sets = ParameterSetTable()
    private var codec = H264StreamCodec()
    private var firstSequence: (content: SequenceParameterSet, unit: [UInt8])?
    private var firstPicture: PictureParameterSet?
    private var lastSequenceID = -1
    /// The picture whose slices are being read.
    private var picture = H264Picture()
    private var hasPlace = false

    static let recoveryMakesKeys = true

    static func headLimit(_ firstByte: UInt8) -> Int {
        switch NALUnitHeader(rawValue: firstByte).type {
        case .sequenceParameterSet, .pictureParameterSet, .supplementalEnhancementInformation: 1 << 16
        case .slice, .sliceDataPartitionA, .sliceIDR: 1 << 12
        default: 16
        }
    }

    var description: StreamDescription? {
        firstSequence.map { StreamDescription($0.content, unit: $0.unit, picture: firstPicture) }
    }

    mutating func add(_ unit: ScannedUnit, to assembler: inout PictureAssembler) -> String? {
        let header = NALUnitHeader(rawValue: unit.head.first ?? 0)
        var problem: String?
        switch header.type {
        case .slice, .sliceDataPartitionA, .sliceIDR: problem = addSlice(unit, header, to: &assembler)
        default: assembler.add(unit, place: header.type.place)
        }
        return header.hasForbiddenBit ? "a NAL unit with its forbidden bit set" : problem
    }

    private mutating func addSlice(
        _ unit: ScannedUnit, _ unitHeader: NALUnitHeader, to assembler: inout PictureAssembler
    ) -> String? {
        let start = try? SliceStart(parsing: Array(unit.head.prefix(64)))
        let (slice, problem) = Self.read(unit.head, with: codec, picture: start?.pictureParameterSetID) {
            codec.sets.picture($0).map { sequence(of: $0.content) }
        }
        var facts = SliceFacts(
            type: start?.type, access: unitHeader.type == .sliceIDR ? .idr : nil, isReference: unitHeader.isReference)
        if assembler.hasSlices, beginsPicture(start, slice) { assembler.endAccessUnit() }
        if !assembler.hasSlices { (picture, hasPlace) = (H264Picture(), false) }
        if let slice, slice.isPrimary {
            picture.add(slice)
            if !hasPlace { facts.picture = place(slice) }
            hasPlace = true
            facts.qp = slice.header.qp
        }
        assembler.addSlice(unit, facts)
        return problem
    }

    private func sequence(of picture: PictureParameterSet) -> (id: Int, isThere: Bool) {
        let id = picture.sequenceParameterSetID
        return (id, codec.sets.sequence(id) != nil)
    }

    private func beginsPicture(_ start: SliceStart?, _ slice: H264Slice?) -> Bool {
        if let slice, !slice.isPrimary { return false }
        guard let slice, picture.hasSlices else { return start?.firstMacroblock == 0 }
        return picture.isFollowed(by: slice)
    }

    private mutating func place(_ slice: H264Slice) -> PictureFacts {
        let header = slice.header
        let structure: PictureRecord.Structure =
            header.isField ? (header.isBottomField ? .bottomField : .topField) : .frame
        let place = codec.place(slice, isSynchronized: true)
        return PictureFacts(
            structure: structure, frameNumber: header.frameNumber, pictureOrderCount: place.order,
            restartsOrder: place.restartsOrder)
    }

    mutating func addSet(_ unit: ScannedUnit) {
        switch NALUnitHeader(rawValue: unit.head.first ?? 0).type {
        case .sequenceParameterSet: addSequence(unit)
        case .pictureParameterSet: addPicture(unit)
        default: break
        }
    }

    private mutating func addSequence(_ unit: ScannedUnit) {
        let set = sets.add(unit, .sequence, id: \SequenceParameterSet.id) { (bytes) throws(NaluError) in
            try SequenceParameterSet(parsing: bytes)
        } elements: { _ in
            unsafe unit.head.withUnsafeBytes { unsafe SequenceParameterSet.elements(of: $0) }
        }
        guard let set else { return }
        firstSequence = firstSequence ?? (set, unit.head)
        lastSequenceID = set.id
        // ``ParameterSetTable`` has already recorded the error of an invalid set.
        try? codec.add(parameterSet: unit.head)
    }

    private mutating func addPicture(_ unit: ScannedUnit) {
        let known = codec.sets
        let set = sets.add(unit, .picture, id: \PictureParameterSet.id) { (bytes) throws(NaluError) in
            try PictureParameterSet(parsing: bytes)
        } elements: { set in
            let format = set.flatMap { known.sequence($0.sequenceParameterSetID) }?.content.chromaFormatIDC ?? 1
            return unsafe unit.head.withUnsafeBytes {
                unsafe PictureParameterSet.elements(of: $0, chromaFormatIDC: format)
            }
        }
        guard let set else { return }
        firstPicture = firstPicture ?? set
        try? codec.add(parameterSet: unit.head)
    }

    func messages(of unit: [UInt8]) -> [(message: SEIMessage, elements: [SyntaxElement])] {
        SEIMessage.messages(of: unit).map { message in
            (message, message.elements { codec.sets.sequence($0 ?? lastSequenceID)?.content })
        }
    }
}
