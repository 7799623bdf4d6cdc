/// The current parameter sets of an H.265 stream's base layer.
package struct HEVCParameterSetStore {
    package typealias Sequence = StoredParameterSet<HEVCSequenceParameterSet>
    package typealias Picture = StoredParameterSet<HEVCPictureParameterSet>

    private var videos: [Int: [UInt8]] = [:]
    private var sequences: [Int: Sequence] = [:]
    private var pictures: [Int: Picture] = [:]
    package private(set) var tally = ParameterSetTally()

    package init() {}

    package var isEmpty: Bool { sequences.isEmpty }

    /// Adds a VPS, SPS or PPS. It replaces a different one with the same id. A changed SPS removes the PPS that refer
    /// to it. Throws `.badData` and `.unsupportedDataFormat`.
    package mutating func add(_ unit: [UInt8]) throws(NaluError) {
        tally.size += unit.count
        switch HEVCUnitHeader(of: unit)?.type {
        case .videoParameterSet:
            let content = try HEVCVideoParameterSet(parsing: unit)
            guard videos[content.id] != unit else { return }
            videos[content.id] = unit
        case .sequenceParameterSet:
            let content = try HEVCSequenceParameterSet(parsing: unit)
            guard sequences[content.id]?.bytes != unit else { return }
            if sequences[content.id] != nil {
                pictures = pictures.filter { $0.value.content.sequenceParameterSetID != content.id }
            }
            sequences[content.id] = Sequence(bytes: unit, content: content)
        default:
            let content = try HEVCPictureParameterSet(parsing: unit)
            guard pictures[content.id]?.bytes != unit else { return }
            pictures[content.id] = Picture(bytes: unit, content: content)
        }
        tally.changes += 1
    }

    /// Returns the PPS `id` and its SPS, or nil if one has not arrived.
    package func sets(ofPicture id: Int) -> (Picture, Sequence)? {
        guard let picture = pictures[id], let sequence = sequences[picture.content.sequenceParameterSetID]
        else { return nil }
        return (picture, sequence)
    }

    package func sequence(_ id: Int) -> Sequence? { sequences[id] }

    package func picture(_ id: Int) -> Picture? { pictures[id] }

    /// The SPS that the PPS with the lowest id refers to.
    package var firstSequence: Sequence? {
        pictures.min { $0.key < $1.key }.flatMap { sequences[$0.value.content.sequenceParameterSetID] }
    }

    /// Returns the parameter sets that describe pictures of `sequence`: the VPS, the SPS, and all PPS that refer to it.
    /// Throws `.badData` if the VPS has not arrived.
    package func units(for sequence: Sequence) throws(NaluError) -> [[UInt8]] {
        guard let video = videos[sequence.content.videoParameterSetID] else {
            throw NaluError(
                .badData,
                "sequence parameter set \(sequence.content.id) refers to video parameter set "
                    + "\(sequence.content.videoParameterSetID), which has not arrived")
        }
        return [video, sequence.bytes]
            + pictures.values.filter { $0.content.sequenceParameterSetID == sequence.content.id }
            .sorted { $0.content.id < $1.content.id }.map { $0.bytes }
    }
}
