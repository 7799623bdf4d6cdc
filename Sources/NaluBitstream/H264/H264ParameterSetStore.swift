/// The current parameter sets of an H.264 stream.
package typealias H264ParameterSetStore = ParameterSetStore<SequenceParameterSet, PictureParameterSet>

extension SequenceParameterSet: SequenceContent {}
extension PictureParameterSet: PictureContent {}

extension ParameterSetStore<SequenceParameterSet, PictureParameterSet> {
    /// Adds an SPS or a PPS. Throws `.badData` and `.unsupportedDataFormat`.
    package mutating func add(_ unit: [UInt8]) throws(NaluError) {
        tally.size += unit.count
        let isSequence = unit.first.map { NALUnitHeader(rawValue: $0).type } == .sequenceParameterSet
        if try isSequence ? add(sequence: unit) : add(picture: unit) { tally.changes += 1 }
    }

    /// Reads the header of a slice. Throws `.badData` also if a parameter set is missing.
    func slice(_ head: UnsafeRawBufferPointer) throws(NaluError) -> H264Slice {
        var reader = unsafe try BitReader(sliceHeaderOf: head)
        let start = try SliceStart(in: &reader)
        let (picture, sequence) = try sets(ofSlice: start.pictureParameterSetID)
        return H264Slice(
            header: try SliceHeader(
                start, in: &reader, pictureParameterSet: picture.content, sequenceParameterSet: sequence.content),
            sequence: sequence)
    }

    /// Returns the parameter sets that describe pictures of `sequence`: the SPS and all PPS that refer to it.
    package func units(for sequence: Sequence) -> [[UInt8]] { sequenceUnits(sequence) }
}
