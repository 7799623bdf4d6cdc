/// A sequence parameter set that a ``ParameterSetStore`` keeps.
package protocol SequenceContent: Hashable, Sendable {
    var id: Int { get }
    init(parsing unit: [UInt8]) throws(NaluError)
}

/// A picture parameter set that a ``ParameterSetStore`` keeps.
package protocol PictureContent: Hashable, Sendable {
    var id: Int { get }
    var sequenceParameterSetID: Int { get }
    init(parsing unit: [UInt8]) throws(NaluError)
}

/// The current parameter sets of a stream; for H.265, those of its base layer.
package struct ParameterSetStore<SPS: SequenceContent, PPS: PictureContent> {
    package typealias Sequence = StoredParameterSet<SPS>
    package typealias Picture = StoredParameterSet<PPS>

    /// The VPS of H.265 by their ids.
    var videos: [Int: [UInt8]] = [:]
    private var sequences: [Int: Sequence] = [:]
    private var pictures: [Int: Picture] = [:]
    package var tally = ParameterSetTally()

    package init() {}

    package var isEmpty: Bool { sequences.isEmpty }

    /// Adds an SPS. It replaces a different one with the same id, and then removes the PPS that refer to it. Returns
    /// whether it is new.
    mutating func add(sequence unit: [UInt8]) throws(NaluError) -> Bool {
        let content = try SPS(parsing: unit)
        guard sequences[content.id]?.bytes != unit else { return false }
        if sequences[content.id] != nil {
            pictures = pictures.filter { $0.value.content.sequenceParameterSetID != content.id }
        }
        sequences[content.id] = Sequence(bytes: unit, content: content)
        return true
    }

    /// Adds a PPS. It replaces a different one with the same id. Returns whether it is new.
    mutating func add(picture unit: [UInt8]) throws(NaluError) -> Bool {
        let content = try PPS(parsing: unit)
        guard pictures[content.id]?.bytes != unit else { return false }
        pictures[content.id] = Picture(bytes: unit, content: content)
        return true
    }

    package func sequence(_ id: Int) -> Sequence? { sequences[id] }

    package func picture(_ id: Int) -> Picture? { pictures[id] }

    /// Returns the PPS `id` and its SPS, or nil if one is missing.
    package func sets(ofPicture id: Int) -> (Picture, Sequence)? {
        guard let picture = pictures[id], let sequence = sequences[picture.content.sequenceParameterSetID]
        else { return nil }
        return (picture, sequence)
    }

    /// Returns the PPS `id` of a slice and its SPS. Throws `.badData` if one is missing.
    func sets(ofSlice id: Int) throws(NaluError) -> (Picture, Sequence) {
        guard let found = sets(ofPicture: id) else {
            throw NaluError(
                .badData,
                "a slice refers to picture parameter set \(id), which is missing, or whose sequence parameter set is "
                    + "missing")
        }
        return found
    }

    /// The SPS that the PPS with the lowest id refers to.
    package var firstSequence: Sequence? {
        pictures.min { $0.key < $1.key }.flatMap { sequences[$0.value.content.sequenceParameterSetID] }
    }

    /// Returns the SPS, and all PPS that refer to it.
    func sequenceUnits(_ sequence: Sequence) -> [[UInt8]] {
        [sequence.bytes]
            + pictures.values.filter { $0.content.sequenceParameterSetID == sequence.content.id }
            .sorted { $0.content.id < $1.content.id }.map { $0.bytes }
    }
}

/// The bytes of a parameter set and its parsed content. The object is shared, because the content is too large to copy
/// for each slice.
package final class StoredParameterSet<Content: Hashable & Sendable>: Sendable {
    package let bytes: [UInt8]
    package let content: Content

    package init(bytes: [UInt8], content: Content) {
        self.bytes = bytes
        self.content = content
    }

    package func hasSameContent(as other: StoredParameterSet) -> Bool {
        self === other || content == other.content
    }
}
