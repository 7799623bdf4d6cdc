/// Follows the samples of a stream in decoding order, and tells where pictures are missing to which others refer.
///
/// Any thread may use it; samples must be looked at in their order. The corresponding C type is `nalu_loss_detector`.
public final class LossDetector: Sendable {
    private struct State {
        var format: FormatDescription?
        var sequences: [Int: SequenceParameterSet] = [:]
        var pictures: [Int: PictureParameterSet] = [:]
        var frames = FrameNumberWatch()

        mutating func add(_ unit: UnsafeRawBufferPointer) throws(NaluError) {
            if unsafe NALUnitHeader(of: unit)?.type == .sequenceParameterSet {
                let sequence = unsafe try SequenceParameterSet(parsing: unit)
                sequences[sequence.id] = sequence
            } else if unsafe NALUnitHeader(of: unit)?.type == .pictureParameterSet {
                let picture = unsafe try PictureParameterSet(parsing: unit)
                pictures[picture.id] = picture
            }
        }
    }

    private let state = Guarded(State())

    public init() {}

    /// Whether, between this sample and the one before, a picture is missing to which this or a later one may refer. False
    /// for the first sample, and for every key frame.
    ///
    /// Throws `.badData` when the sample has no slice that can be read, `.unsupportedDataFormat` for another codec than
    /// H.264. Such a sample counts as missing.
    public func isReferenceMissing(before sample: Sample) throws(NaluError) -> Bool {
        guard sample.formatDescription.codec == FormatDescription.h264 else {
            throw NaluError(.unsupportedDataFormat, "the sample is not H.264; expected 'avc1'")
        }
        return try state.withLock { (state) throws(NaluError) in
            try Self.adopt(sample.formatDescription, &state)
            return try Self.look(at: sample, &state)
        }
    }

    private static func adopt(_ format: FormatDescription, _ state: inout State) throws(NaluError) {
        guard state.format !== format else { return }
        for unit in format.parameterSets {
            try unsafe unit.withBytes { (bytes) throws(NaluError) in try unsafe state.add(bytes) }
        }
        state.format = format
    }

    private static func look(at sample: Sample, _ state: inout State) throws(NaluError) -> Bool {
        for index in 0..<sample.nalUnitCount {
            guard let unit = unsafe sample.nalUnit(at: index), let header = unsafe NALUnitHeader(of: unit) else {
                continue
            }
            switch header.type {
            case .sequenceParameterSet, .pictureParameterSet:
                unsafe try state.add(unit)
            case .slice, .sliceIDR, .sliceDataPartitionA:
                let beginning = unsafe UnsafeRawBufferPointer(rebasing: unit.prefix(headerSize))
                let start = unsafe try SliceStart(parsing: beginning)
                guard let picture = state.pictures[start.pictureParameterSetID],
                    let sequence = state.sequences[picture.sequenceParameterSetID]
                else {
                    throw NaluError(
                        .badData,
                        "a slice refers to picture parameter set \(start.pictureParameterSetID), which there is not")
                }
                let slice = unsafe try SliceHeader(
                    parsing: beginning, pictureParameterSet: picture, sequenceParameterSet: sequence)
                return state.frames.isReferenceMissing(before: slice, sequence, of: sample)
            default: break
            }
        }
        throw NaluError(.badData, "the sample has no slice; expected one, or a data partition A")
    }

    /// The most bytes that a slice header takes here.
    private static let headerSize = 4096
}
