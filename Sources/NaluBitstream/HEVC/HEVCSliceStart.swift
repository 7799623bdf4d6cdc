/// The first fields of an H.265 slice segment header (ITU-T H.265 7.3.6.1), which can be read without the parameter sets.
public struct HEVCSliceStart: Hashable, Sendable, ParsedUnit {
    public let unitHeader: HEVCUnitHeader
    /// `first_slice_segment_in_pic_flag`.
    public let isFirstOfPicture: Bool
    /// The `slice_pic_parameter_set_id` of the segment's PPS, 0 to 63.
    public let pictureParameterSetID: Int

    /// Reads the start of a slice segment, with NAL unit header and emulation prevention bytes, without start code. The
    /// first bytes of the NAL unit suffice.
    ///
    /// Throws `.badData` if the NAL unit is not a slice segment, is cut off, or holds a value that the standard
    /// forbids.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        var reader = unsafe try BitReader(hevcSliceHeaderOf: unit)
        try self.init(in: &reader)
    }

    init(in reader: inout BitReader) throws(NaluError) {
        unitHeader = HEVCUnitHeader(rawValue: UInt16(reader.bytes[0]) << 8 | UInt16(reader.bytes[1]))
        isFirstOfPicture = try reader.flag("first_slice_segment_in_pic_flag")
        if unitHeader.type.isRandomAccess {
            _ = try reader.flag("no_output_of_prior_pics_flag")
        }
        pictureParameterSetID = try reader.unsigned("slice_pic_parameter_set_id", 0...63)
    }
}
