/// Reads the samples of an H.264 stream for a ``FrameNumberWatch``.
struct H264LossFinder {
    private var sequences: [Int: SequenceParameterSet] = [:]
    private var pictures: [Int: PictureParameterSet] = [:]
    private var frames = FrameNumberWatch()

    mutating func adopt(_ format: FormatDescription) throws(NaluError) {
        for unit in format.parameterSets {
            try unsafe unit.withBytes { (bytes) throws(NaluError) in try unsafe add(bytes) }
        }
    }

    /// Throws `.badData` when no slice can be read.
    mutating func look(at sample: Sample) throws(NaluError) -> LossDetector.Finding {
        var offset = 0
        while let unit = unsafe sample.nextNALUnit(offset: &offset) {
            guard let header = unsafe NALUnitHeader(of: unit) else { continue }
            switch header.type {
            case .sequenceParameterSet, .pictureParameterSet:
                unsafe try add(unit)
            case .slice, .sliceIDR, .sliceDataPartitionA:
                let beginning = unsafe UnsafeRawBufferPointer(rebasing: unit.prefix(BitReader.maximumSliceHeaderSize))
                return unsafe try look(at: beginning, of: sample)
            default: break
            }
        }
        throw NaluError(.badData, "the sample has no slice; expected one, or a data partition A")
    }

    private mutating func look(
        at unit: UnsafeRawBufferPointer, of sample: Sample
    ) throws(NaluError) -> LossDetector.Finding {
        let start = unsafe try SliceStart(parsing: unit)
        guard let picture = pictures[start.pictureParameterSetID],
            let sequence = sequences[picture.sequenceParameterSetID]
        else {
            throw NaluError(
                .badData, "a slice refers to picture parameter set \(start.pictureParameterSetID), which there is not")
        }
        let slice = unsafe try SliceHeader(
            parsing: unit, pictureParameterSet: picture, sequenceParameterSet: sequence)
        return frames.isReferenceMissing(before: slice, sequence, of: sample) ? .referenceMissing : .nothing
    }

    private mutating func add(_ unit: UnsafeRawBufferPointer) throws(NaluError) {
        if unsafe NALUnitHeader(of: unit)?.type == .sequenceParameterSet {
            let sequence = unsafe try SequenceParameterSet(parsing: unit)
            sequences[sequence.id] = sequence
        } else if unsafe NALUnitHeader(of: unit)?.type == .pictureParameterSet {
            let picture = unsafe try PictureParameterSet(parsing: unit)
            pictures[picture.id] = picture
        }
    }
}
