/// The current parameter sets of an H.265 stream's base layer.
package typealias HEVCParameterSetStore = ParameterSetStore<HEVCSequenceParameterSet, HEVCPictureParameterSet>

extension HEVCSequenceParameterSet: SequenceContent {}
extension HEVCPictureParameterSet: PictureContent {}

extension ParameterSetStore<HEVCSequenceParameterSet, HEVCPictureParameterSet> {
    /// Adds a VPS, SPS or PPS. Throws `.badData` and `.unsupportedDataFormat`.
    package mutating func add(_ unit: [UInt8]) throws(NaluError) {
        tally.size += unit.count
        let isNew =
            switch HEVCUnitHeader(of: unit)?.type {
            case .videoParameterSet: try add(video: unit)
            case .sequenceParameterSet: try add(sequence: unit)
            default: try add(picture: unit)
            }
        if isNew { tally.changes += 1 }
    }

    private mutating func add(video unit: [UInt8]) throws(NaluError) -> Bool {
        let content = try HEVCVideoParameterSet(parsing: unit)
        return videos.updateValue(unit, forKey: content.id) != unit
    }

    /// Reads the header of a slice segment. Throws `.badData` also if a parameter set is missing.
    func slice(_ head: UnsafeRawBufferPointer) throws(NaluError) -> HEVCSlice {
        var reader = unsafe try BitReader(hevcSliceHeaderOf: head)
        let start = try HEVCSliceStart(in: &reader)
        let (picture, sequence) = try sets(ofSlice: start.pictureParameterSetID)
        return HEVCSlice(
            header: try HEVCSliceHeader(
                start, in: &reader, pictureParameterSet: picture.content, sequenceParameterSet: sequence.content),
            sequence: sequence)
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
        return [video] + sequenceUnits(sequence)
    }
}
