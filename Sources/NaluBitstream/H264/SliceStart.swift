/// The first fields of a slice header (ITU-T H.264 7.3.3), which can be read without the parameter sets.
public struct SliceStart: Hashable, Sendable {
    /// `first_mb_in_slice`.
    public let firstMacroblock: Int
    /// `slice_type`, without whether it is that of the whole picture.
    public let type: SliceType
    /// Whether all slices of the picture are announced to be of this type (`slice_type` 5 to 9).
    public package(set) var isTypeOfWholePicture: Bool
    /// The `pic_parameter_set_id` that the slice is to be read with, 0 to 255.
    public let pictureParameterSetID: Int

    /// Reads the start of a slice or data partition A: the NAL unit's header byte first, no start code, emulation
    /// prevention bytes in place. `unit` may be its first bytes only.
    ///
    /// Throws `.badData` when the unit is no such slice, is cut off, or holds a value that the standard forbids.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        var reader = unsafe try BitReader(sliceHeaderOf: unit)
        try self.init(in: &reader)
    }

    /// Reads the start of a slice. Throws as ``init(parsing:)-(UnsafeRawBufferPointer)`` does.
    public init(parsing unit: [UInt8]) throws(NaluError) {
        self = unsafe try unit.withBytes { (bytes) throws(NaluError) in
            unsafe try SliceStart(parsing: bytes)
        }
    }

    init(in reader: inout BitReader) throws(NaluError) {
        firstMacroblock = try reader.unsigned("first_mb_in_slice", BitReader.anyUnsigned)
        let number = try reader.unsigned("slice_type", 0...9)
        type = SliceType(rawValue: number % 5) ?? .i
        isTypeOfWholePicture = number >= 5
        pictureParameterSetID = try reader.unsigned("pic_parameter_set_id", 0...255)
    }
}
