/// Reads the samples of an H.265 stream for a ``ReferenceSetWatch``. Other layers than the base layer are passed over.
struct HEVCLossFinder {
    private var sets = HEVCParameterSetStore()
    private var watch = ReferenceSetWatch()

    mutating func adopt(_ format: FormatDescription) throws(NaluError) {
        for unit in format.parameterSets where HEVCUnitHeader(of: unit)?.type.isParameterSet == true {
            try sets.add(unit)
        }
    }

    /// Throws `.badData` when the picture's first slice segment cannot be read, or is not there.
    mutating func look(at sample: Sample) throws(NaluError) -> LossDetector.Finding {
        var finding: LossDetector.Finding?
        var offset = 0
        while let unit = unsafe sample.nextNALUnit(offset: &offset) {
            guard let header = unsafe HEVCUnitHeader(of: unit), header.isSound, header.layerID == 0 else { continue }
            if header.type == .endOfSequence || header.type == .endOfBitstream {
                watch.endSequence()
            } else if finding == nil, header.type.isParameterSet {
                try sets.add(unsafe [UInt8](unit))
            } else if finding == nil, header.type.isSlice {
                let beginning = unsafe UnsafeRawBufferPointer(rebasing: unit.prefix(HEVCSliceHeader.maximumSize))
                finding = watch.look(at: unsafe try slice(beginning), of: sample)
            }
        }
        guard let finding else { throw NaluError(.badData, "the sample has no slice segment of layer 0; expected one") }
        return finding
    }

    private func slice(_ unit: UnsafeRawBufferPointer) throws(NaluError) -> HEVCSlice {
        let start = unsafe try HEVCSliceStart(parsing: unit)
        guard start.isFirstOfPicture else {
            throw NaluError(
                .badData, "the first slice segment of the sample is not its picture's first: that is missing")
        }
        guard let (picture, sequence) = sets.sets(ofPicture: start.pictureParameterSetID) else {
            throw NaluError(
                .badData,
                "a slice refers to picture parameter set \(start.pictureParameterSetID), which there is not, or whose "
                    + "sequence parameter set there is not")
        }
        return HEVCSlice(
            header: unsafe try HEVCSliceHeader(
                parsing: unit, pictureParameterSet: picture.content, sequenceParameterSet: sequence.content),
            sequence: sequence)
    }
}
