/// The current parameter sets of an H.264 stream.
package struct H264ParameterSetStore {
    package typealias Sequence = StoredParameterSet<SequenceParameterSet>
    package typealias Picture = StoredParameterSet<PictureParameterSet>

    private var sequences: [Int: Sequence] = [:]
    private var pictures: [Int: Picture] = [:]
    package private(set) var tally = ParameterSetTally()

    package init() {}

    package var isEmpty: Bool { sequences.isEmpty }

    /// Adds an SPS or a PPS. It replaces a different one with the same id. A changed SPS removes the PPS that refer to
    /// it. Throws `.badData` and `.unsupportedDataFormat`.
    package mutating func add(_ unit: [UInt8]) throws(NaluError) {
        tally.size += unit.count
        if let first = unit.first, NALUnitHeader(rawValue: first).type == .sequenceParameterSet {
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
        tally.changes += 1
    }

    /// Returns the PPS and the SPS of a slice, or nil if one has not arrived.
    package func sets(for start: SliceStart) -> (Picture, Sequence)? {
        guard let picture = pictures[start.pictureParameterSetID],
            let sequence = sequences[picture.content.sequenceParameterSetID]
        else { return nil }
        return (picture, sequence)
    }

    package func sequence(_ id: Int) -> Sequence? { sequences[id] }

    package func picture(_ id: Int) -> Picture? { pictures[id] }

    /// The SPS that the PPS with the lowest id refers to.
    package var firstSequence: Sequence? {
        pictures.min { $0.key < $1.key }.flatMap { sequences[$0.value.content.sequenceParameterSetID] }
    }

    /// Returns the parameter sets that describe pictures of `sequence`: the SPS and all PPS that refer to it.
    package func units(for sequence: Sequence) -> [[UInt8]] {
        [sequence.bytes]
            + pictures.values.filter { $0.content.sequenceParameterSetID == sequence.content.id }
            .sorted { $0.content.id < $1.content.id }.map { $0.bytes }
    }
}
