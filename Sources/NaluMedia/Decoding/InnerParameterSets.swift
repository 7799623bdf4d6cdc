internal import NaluBitstream

/// H.264 parameter sets between the two fields of a frame.
enum InnerParameterSets {
    /// Returns the offset of the parameter sets after the first field; nil if none follow a slice.
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
