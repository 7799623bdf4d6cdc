internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// Format descriptions with the parameter sets of the copied samples and of both edges. They stay the same across the
/// edges, because an MP4 then has one sample entry, and the copied samples stay byte for byte.
@safe
final class EdgeFormats {
    /// The format description of copied samples; nil if nothing is copied.
    var source: FormatDescription?
    private var edges: [FormatDescription] = []
    private var made: [(of: FormatDescription, lengthSize: Int, all: FormatDescription)] = []

    /// Adds the parameter sets of an edge. Must be called before the first sample is written.
    func add(_ edge: FormatDescription) {
        edges.append(edge)
    }

    /// Returns the format description to write with a copied sample.
    func copied(_ sample: Sample) throws(NaluError) -> FormatDescription {
        let own = sample.formatDescription
        return edges.isEmpty ? own : try all(with: own, lengthSize: own.lengthSize)
    }

    /// Returns the format description to write with an edge's sample.
    func edge(_ sample: Sample) throws(NaluError) -> FormatDescription {
        let own = sample.formatDescription
        guard let source, source.picturesAreLike(own) else { return own }
        return try all(with: source, lengthSize: own.lengthSize)
    }

    private func all(with source: FormatDescription, lengthSize: Int) throws(NaluError) -> FormatDescription {
        if let found = made.first(where: { $0.of == source && $0.lengthSize == lengthSize }) { return found.all }
        let sets = ([source] + edges.filter(source.picturesAreLike)).flatMap(\.parameterSets)
        // The order of NAL unit types: SPS, its extensions, and then the PPS that refer to them.
        let order: [UInt8] = [7, 13, 15, 8]
        let sorted = order.flatMap { type in sets.filter { ($0.first ?? 0) & 31 == type } }
        let all = try FormatDescription(.h264, parameterSets: sorted, lengthSize: lengthSize)
        made.append((source, lengthSize, all))
        return all
    }
}
