/// Reads the NAL units of H.265 samples for an ``RPSLossDetector``. Layers other than the base layer are skipped.
struct HEVCLossDetector: CodecLossDetector {
    private var sets = HEVCParameterSetStore()
    private var losses = RPSLossDetector()

    mutating func adopt(_ unit: [UInt8]) throws(NaluError) {
        if HEVCUnitHeader(of: unit)?.type.isParameterSet == true { try sets.add(unit) }
    }

    mutating func restart() {
        losses = RPSLossDetector()
    }

    mutating func pass(_ unit: UnsafeRawBufferPointer) {
        guard let type = unsafe Self.header(of: unit)?.type else { return }
        if type == .endOfSequence || type == .endOfBitstream { losses.endSequence() }
    }

    /// Reads a NAL unit. Throws `.badData` also if the first slice segment of the picture is missing.
    mutating func look(at unit: UnsafeRawBufferPointer, _ times: PictureTimes) throws(NaluError) -> SliceReport? {
        guard let type = unsafe Self.header(of: unit)?.type else { return nil }
        if type.isParameterSet {
            try sets.add(unsafe [UInt8](unit))
            return nil
        }
        guard type.isSlice else { return nil }
        let beginning = unsafe UnsafeRawBufferPointer(rebasing: unit.prefix(HEVCSliceHeader.maximumSize))
        guard unsafe !Self.isLaterSlice(beginning) else {
            throw NaluError(.badData, "the first slice segment of the picture is missing from the sample")
        }
        return losses.report(on: try unsafe sets.slice(beginning), at: times)
    }

    /// Reports on a first slice segment that was read before; nil if its parameter sets are missing.
    mutating func report(on header: HEVCSliceHeader, _ times: PictureTimes) -> SliceReport? {
        guard let (_, sequence) = sets.sets(ofPicture: header.start.pictureParameterSetID) else { return nil }
        return losses.report(on: HEVCSlice(header: header, sequence: sequence), at: times)
    }

    mutating func endSequence() {
        losses.endSequence()
    }

    /// Whether the NAL unit is a slice segment with a clear first_slice_segment_in_pic_flag (ITU-T H.265 7.3.6.1).
    static func isLaterSlice(_ unit: UnsafeRawBufferPointer) -> Bool {
        guard unit.count > 2, let type = unsafe header(of: unit)?.type else { return false }
        return unsafe type.isSlice && unit[2] & 0x80 == 0
    }

    /// Returns the header of a NAL unit; nil if the header is corrupt or belongs to another layer.
    private static func header(of unit: UnsafeRawBufferPointer) -> HEVCUnitHeader? {
        guard let header = unsafe HEVCUnitHeader(of: unit), header.isSound, header.layerID == 0 else { return nil }
        return header
    }

    static var noSlice: NaluError {
        NaluError(.badData, "the sample has no slice segment of layer 0; expected one")
    }
}
