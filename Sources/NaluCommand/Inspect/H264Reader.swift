internal import Nalu

/// Reads H.264 NAL units.
struct H264Reader: CodecReader {
    private(set) var sets = ParameterSetTable()
    private var active = ActiveSets<SequenceParameterSet, PictureParameterSet>()
    private var firstSequenceUnit: [UInt8] = []
    private var counter = PictureOrderCounter()
    /// Of the picture under way.
    private var last: SliceHeader?

    static let recoveryMakesKeys = true

    static func headLimit(_ firstByte: UInt8) -> Int {
        switch NALUnitHeader(rawValue: firstByte).type {
        case .sequenceParameterSet, .pictureParameterSet, .supplementalEnhancementInformation: 1 << 16
        case .slice, .sliceDataPartitionA, .sliceIDR: 1 << 12
        default: 16
        }
    }

    var description: StreamDescription? {
        active.firstSequence.map { StreamDescription($0, unit: firstSequenceUnit, picture: active.firstPicture) }
    }

    mutating func add(_ unit: ScannedUnit, to assembler: inout PictureAssembler) -> String? {
        let header = NALUnitHeader(rawValue: unit.head.first ?? 0)
        var problem: String?
        switch header.type {
        case .slice, .sliceDataPartitionA, .sliceIDR: problem = addSlice(unit, header, to: &assembler)
        default: assembler.add(unit, beginsAccessUnit: header.type.standsBeforePicture)
        }
        return header.hasForbiddenBit ? "a NAL unit with its forbidden bit set" : problem
    }

    private mutating func addSlice(
        _ unit: ScannedUnit, _ unitHeader: NALUnitHeader, to assembler: inout PictureAssembler
    ) -> String? {
        let start = try? SliceStart(parsing: Array(unit.head.prefix(64)))
        let (read, problem) = active.read(ofPicture: start?.pictureParameterSetID) {
            (picture, sequence) throws(NaluError) in
            try SliceHeader(parsing: unit.head, pictureParameterSet: picture, sequenceParameterSet: sequence)
        }
        var facts = SliceFacts(
            type: start?.type, access: unitHeader.type == .sliceIDR ? .idr : nil, isReference: unitHeader.isReference)
        if !assembler.hasSlices {
            last = nil
        } else if beginsPicture(start, read) {
            assembler.endAccessUnit()
            last = nil
        }
        if let (header, sequence) = read, header.redundantPictureCount == 0 {
            if last == nil { facts.picture = picture(header, sequence) }
            last = header
            facts.qp = header.qp
        }
        assembler.addSlice(unit, facts)
        return problem
    }

    /// ITU-T H.264 7.4.1.2.4.
    private func beginsPicture(_ start: SliceStart?, _ read: (header: SliceHeader, sequence: SequenceParameterSet)?)
        -> Bool
    {
        if let read, read.header.redundantPictureCount > 0 { return false }
        if let last, let read {
            return PictureBoundary.lies(
                between: last, and: read.header, picOrderCountType: read.sequence.picOrderCountType)
        }
        return start?.firstMacroblock == 0
    }

    private mutating func picture(_ header: SliceHeader, _ sequence: SequenceParameterSet) -> PictureFacts {
        let structure: FrameRecord.Structure =
            header.isField ? (header.isBottomField ? .bottomField : .topField) : .frame
        return PictureFacts(
            structure: structure, frameNumber: header.frameNumber,
            pictureOrderCount: counter.count(of: header, in: sequence),
            restartsOrder: header.isIDR || header.resetsReferences)
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
        if active.firstSequence == nil { firstSequenceUnit = unit.head }
        active.add(sequence: set, id: set.id)
    }

    private mutating func addPicture(_ unit: ScannedUnit) {
        let known = active
        let set = sets.add(unit, .picture, id: \PictureParameterSet.id) { (bytes) throws(NaluError) in
            try PictureParameterSet(parsing: bytes)
        } elements: { set in
            let format = set.flatMap { known.sequence(of: $0.sequenceParameterSetID) }?.chromaFormatIDC ?? 1
            return unsafe unit.head.withUnsafeBytes {
                unsafe PictureParameterSet.elements(of: $0, chromaFormatIDC: format)
            }
        }
        if let set { active.add(picture: set, id: set.id, sequence: set.sequenceParameterSetID) }
    }

    func messages(of unit: [UInt8]) -> [(message: SEIMessage, elements: [SyntaxElement])] {
        SEIMessage.messages(of: unit).map { ($0, $0.elements(sequence: active.sequence)) }
    }
}
