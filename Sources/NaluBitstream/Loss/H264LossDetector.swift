/// Reads the NAL units of H.264 samples for a ``FrameNumGapDetector``.
struct H264LossDetector: CodecLossDetector {
    private var sets = H264ParameterSetStore()
    private var gaps = FrameNumGapDetector()

    mutating func adopt(_ unit: [UInt8]) throws(NaluError) {
        guard let first = unit.first else { return }
        let type = NALUnitHeader(rawValue: first).type
        if type == .sequenceParameterSet || type == .pictureParameterSet { try sets.add(unit) }
    }

    mutating func restart() {
        gaps = FrameNumGapDetector()
    }

    mutating func pass(_ unit: UnsafeRawBufferPointer) {}

    mutating func look(at unit: UnsafeRawBufferPointer, _ times: PictureTimes) throws(NaluError) -> SliceReport? {
        guard let header = unsafe NALUnitHeader(of: unit) else { return nil }
        switch header.type {
        case .sequenceParameterSet, .pictureParameterSet:
            try sets.add(unsafe [UInt8](unit))
            return nil
        case .slice, .sliceIDR, .sliceDataPartitionA:
            let slice = try unsafe sets.slice(unit)
            return report(on: slice.header, slice.sequence.content, times)
        default: return nil
        }
    }

    /// Reports on a first slice that was read before; nil if its parameter sets are missing.
    mutating func report(on header: SliceHeader, _ times: PictureTimes) -> SliceReport? {
        guard let (_, sequence) = sets.sets(ofPicture: header.start.pictureParameterSetID) else { return nil }
        return report(on: header, sequence.content, times)
    }

    private mutating func report(
        on header: SliceHeader, _ sequence: SequenceParameterSet, _ times: PictureTimes
    ) -> SliceReport {
        let (isMissing, order) = gaps.look(at: header, sequence, at: times)
        return SliceReport(
            finding: isMissing ? .referenceMissing : .nothing,
            place: PicturePlace(order: order, restartsOrder: header.isIDR || header.resetsReferences),
            isField: header.isField, isLosslessAtZero: sequence.isLosslessAtZero)
    }

    /// Whether the NAL unit is a slice that does not begin its picture. first_mb_in_slice is 0 if its first bit is 1
    /// (ITU-T H.264 7.3.3).
    static func isLaterSlice(_ unit: UnsafeRawBufferPointer) -> Bool {
        guard unit.count > 2, let header = unsafe NALUnitHeader(of: unit) else { return false }
        return unsafe header.hasSliceHeader && unit[1] & 0x80 == 0
    }

    static var noSlice: NaluError {
        NaluError(.badData, "the sample has no slice; expected one, or a data partition A")
    }
}
