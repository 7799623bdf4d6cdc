internal import Nalu

/// The parameter sets in force, by which slices are read.
struct ActiveSets<Sequence, Picture> {
    private var sequences: [Int: Sequence] = [:]
    private var pictures: [Int: (set: Picture, sequence: Int)] = [:]
    private var lastSequence: Sequence?
    /// The first one of each kind, as the stream's description.
    private(set) var firstSequence: Sequence?
    private(set) var firstPicture: Picture?

    mutating func add(sequence: Sequence, id: Int) {
        sequences[id] = sequence
        lastSequence = sequence
        firstSequence = firstSequence ?? sequence
    }

    mutating func add(picture: Picture, id: Int, sequence: Int) {
        pictures[id] = (picture, sequence)
        firstPicture = firstPicture ?? picture
    }

    /// Reads a slice's header with the sets of the picture parameter set that it names; nil: its beginning cannot be read.
    /// What is wrong is returned together with it.
    func read<Header>(
        ofPicture id: Int?, _ parse: (Picture, Sequence) throws(NaluError) -> Header
    ) -> (slice: (header: Header, sequence: Sequence)?, problem: String?) {
        guard let id else { return (nil, "a slice whose header cannot be read") }
        guard let picture = pictures[id] else {
            return (nil, "a slice with picture parameter set \(id), which is missing")
        }
        guard let sequence = sequences[picture.sequence] else {
            return (nil, "a slice with sequence parameter set \(picture.sequence), which is missing")
        }
        do throws(NaluError) {
            return ((try parse(picture.set, sequence), sequence), nil)
        } catch {
            return (nil, error.message)
        }
    }

    /// The sequence parameter set that a picture parameter set names.
    func sequence(of id: Int) -> Sequence? { sequences[id] }

    /// The SPS of that id; with none asked for, the one read last.
    func sequence(_ id: Int?) -> Sequence? {
        id.map { sequences[$0] } ?? lastSequence
    }
}
