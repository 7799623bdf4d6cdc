internal import Nalu

/// The parameter sets of a stream: those in force, for reading slices, and every distinct one, for people.
struct ParameterSetTable {
    private(set) var records: [ParameterSetRecord] = []
    /// Distinct sets that were not kept: only broken streams have so many.
    private(set) var omittedCount = 0
    /// The first sets that could not be read.
    private(set) var problems: [StreamProblem] = []
    private(set) var problemCount = 0
    private var sequences: [Int: SequenceParameterSet] = [:]
    private var pictures: [Int: PictureParameterSet] = [:]
    private var lastSequence: SequenceParameterSet?
    /// The first set of each kind that could be read, as the stream's description.
    private(set) var firstSequence: SequenceParameterSet?
    private(set) var firstSequenceUnit: [UInt8]?
    private(set) var firstPicture: PictureParameterSet?

    private static let maximumRecords = 256

    /// Other units are passed over.
    mutating func add(_ unit: ScannedUnit, type: NALUnitType) {
        switch type {
        case .sequenceParameterSet: addSequence(unit)
        case .pictureParameterSet: addPicture(unit)
        default: break
        }
    }

    func sets(for slice: SliceStart) -> (picture: PictureParameterSet, sequence: SequenceParameterSet)? {
        guard let picture = pictures[slice.pictureParameterSetID],
            let sequence = sequences[picture.sequenceParameterSetID]
        else { return nil }
        return (picture, sequence)
    }

    /// Why there are no sets for a slice.
    func missing(for slice: SliceStart) -> String {
        guard let picture = pictures[slice.pictureParameterSetID] else {
            return "picture parameter set \(slice.pictureParameterSetID)"
        }
        return "sequence parameter set \(picture.sequenceParameterSetID)"
    }

    /// The SPS of that id; with none asked for, the one read last.
    func sequence(_ id: Int?) -> SequenceParameterSet? {
        id.map { sequences[$0] } ?? lastSequence
    }

    private mutating func addSequence(_ unit: ScannedUnit) {
        let parsed: SequenceParameterSet?
        do throws(NaluError) {
            parsed = try SequenceParameterSet(parsing: unit.head)
        } catch {
            parsed = nil
            complain(unit.offset, error.message)
        }
        if let parsed {
            sequences[parsed.id] = parsed
            lastSequence = parsed
            if firstSequence == nil {
                firstSequence = parsed
                firstSequenceUnit = unit.head
            }
        }
        record(unit, .sequence, id: parsed?.id) {
            unsafe unit.head.withUnsafeBytes { unsafe SequenceParameterSet.elements(of: $0) }
        }
    }

    private mutating func addPicture(_ unit: ScannedUnit) {
        let parsed: PictureParameterSet?
        do throws(NaluError) {
            parsed = try PictureParameterSet(parsing: unit.head)
        } catch {
            parsed = nil
            complain(unit.offset, error.message)
        }
        if let parsed {
            pictures[parsed.id] = parsed
            firstPicture = firstPicture ?? parsed
        }
        let format = parsed.flatMap { sequences[$0.sequenceParameterSetID] }?.chromaFormatIDC ?? 1
        record(unit, .picture, id: parsed?.id) {
            unsafe unit.head.withUnsafeBytes { unsafe PictureParameterSet.elements(of: $0, chromaFormatIDC: format) }
        }
    }

    private mutating func complain(_ offset: Int, _ message: String) {
        problemCount += 1
        if problems.count < 100 { problems.append(StreamProblem(offset: offset, message: message)) }
    }

    private mutating func record(
        _ unit: ScannedUnit, _ kind: ParameterSetRecord.Kind, id: Int?,
        _ read: () -> (elements: [SyntaxElement], error: NaluError?)
    ) {
        if let index = records.firstIndex(where: { $0.kind == kind && $0.bytes == unit.head }) {
            records[index].count += 1
            return
        }
        guard records.count < Self.maximumRecords else {
            omittedCount += 1
            return
        }
        let (elements, error) = read()
        records.append(
            ParameterSetRecord(
                kind: kind, id: id, offset: unit.prefixSize == 0 ? nil : unit.offset, bytes: unit.head,
                elements: elements, error: error?.message))
    }
}
