/// The parameter sets of a stream as they stand at the moment, and the format description that they make.
struct ParameterSetStore {
    private struct Sequence {
        let bytes: [UInt8]
        let content: SequenceParameterSet
    }

    private struct Picture {
        let bytes: [UInt8]
        let content: PictureParameterSet
    }

    private var sequences: [Int: Sequence] = [:]
    private var pictures: [Int: Picture] = [:]
    private var format: FormatDescription?
    private var formatSequence: Int?
    private var hasChanged = true
    /// Bytes of parameter sets since the last format description.
    private var bytesSinceFormat = 0

    /// Sets of together so many bytes make a format description as often as they change.
    static let smallSize = 1024

    var isEmpty: Bool { sequences.isEmpty }

    /// An SPS or a PPS. One with a known id and other content takes the place of the old one, and an SPS takes the PPS
    /// with it that referred to the old one. Throws `.badData` and `.unsupportedDataFormat`.
    mutating func add(_ unit: [UInt8], _ type: NALUnitType) throws(NaluError) {
        bytesSinceFormat += unit.count
        if type == .sequenceParameterSet {
            let content = try SequenceParameterSet(parsing: unit)
            guard sequences[content.id]?.bytes != unit else { return }
            if sequences[content.id] != nil {
                pictures = pictures.filter { $0.value.content.sequenceParameterSetID != content.id }
            }
            sequences[content.id] = Sequence(bytes: unit, content: content)
        } else {
            let content = try PictureParameterSet(parsing: unit)
            guard pictures[content.id]?.bytes != unit else { return }
            pictures[content.id] = Picture(bytes: unit, content: content)
        }
        hasChanged = true
    }

    /// The sets that a slice is to be read with.
    func sets(for start: SliceStart) -> (PictureParameterSet, SequenceParameterSet)? {
        guard let picture = pictures[start.pictureParameterSetID]?.content,
            let sequence = sequences[picture.sequenceParameterSetID]?.content
        else { return nil }
        return (picture, sequence)
    }

    /// What describes pictures of `sequence`: its SPS and all PPS that refer to it. The same object until a set changes.
    mutating func format(for sequence: SequenceParameterSet) throws(NaluError) -> FormatDescription {
        if !hasChanged, formatSequence == sequence.id, let format { return format }
        let units =
            [sequences[sequence.id]?.bytes ?? []]
            + pictures.values.filter { $0.content.sequenceParameterSetID == sequence.id }
            .sorted { $0.content.id < $1.content.id }.map { $0.bytes }
        let size = units.reduce(0) { $0 + $1.count }
        // Else a few bytes that change one set could make copies of large ones again and again.
        guard size <= max(Self.smallSize, bytesSinceFormat) else {
            throw NaluError(.badData, "a parameter set changes among \(size) bytes of parameter sets that do not")
        }
        let made = try FormatDescription(parameterSets: units)
        bytesSinceFormat = 0
        hasChanged = false
        formatSequence = sequence.id
        if made != format { format = made }
        return format ?? made
    }
}
