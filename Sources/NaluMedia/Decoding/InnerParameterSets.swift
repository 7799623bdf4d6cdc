internal import NaluBitstream

/// Parameter sets of H.264 between the two fields of a frame.
enum InnerParameterSets {
    /// Where the second field begins with them; nil where none stand after a slice.
    static func place(in bytes: UnsafeRawBufferPointer, lengthSize: Int) -> Int? {
        var (offset, start) = (0, 0)
        var hasSlice = false
        while let unit = unsafe try? LengthPrefixed.next(in: bytes, lengthSize: lengthSize, offset: &offset) {
            let header = unsafe NALUnitHeader(rawValue: unit[0])
            hasSlice = hasSlice || header.hasSliceHeader
            let isSet = header.type == .sequenceParameterSet || header.type == .pictureParameterSet
            if hasSlice && isSet { return start }
            start = offset
        }
        return nil
    }
}
