/// The first fields of a slice header (ITU-T H.264 7.3.3), which can be read without the parameter sets.
public struct SliceStart: Hashable, Sendable, ParsedUnit {
    /// `first_mb_in_slice`.
    public let firstMacroblock: Int
    /// `slice_type` modulo 5.
    public let type: SliceType
    /// Whether the slice announces that all slices of the picture have this type (`slice_type` 5 to 9).
    public package(set) var isTypeOfWholePicture: Bool
    /// The `pic_parameter_set_id` of the slice's PPS, 0 to 255.
    public let pictureParameterSetID: Int

    /// Reads the start of a slice or data partition A, with header byte and emulation prevention bytes, without start
    /// code. The first bytes of the NAL unit suffice.
    ///
    /// Throws `.badData` if the NAL unit is not such a slice, is cut off, or holds a value that the standard forbids.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        var reader = unsafe try BitReader(sliceHeaderOf: unit)
        try self.init(in: &reader)
    }

    init(in reader: inout BitReader) throws(NaluError) {
        firstMacroblock = try reader.unsigned("first_mb_in_slice", BitReader.anyUnsigned)
        let number = try reader.unsigned("slice_type", 0...9)
        type = SliceType(rawValue: number % 5) ?? .i
        isTypeOfWholePicture = number >= 5
        pictureParameterSetID = try reader.unsigned("pic_parameter_set_id", 0...255)
    }
}
