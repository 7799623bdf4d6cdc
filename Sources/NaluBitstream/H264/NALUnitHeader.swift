/// The first byte of a NAL unit (ITU-T H.264 7.3.1): forbidden bit, reference importance and type.
public struct NALUnitHeader: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Reads the header of a NAL unit; nil if `unit` is empty.
    public init?(of unit: UnsafeRawBufferPointer) {
        guard let first = unsafe unit.first else { return nil }
        rawValue = first
    }

    /// The type of the NAL unit: the low five bits.
    public var type: NALUnitType { NALUnitType(rawValue: rawValue & 0x1F) }

    /// `nal_ref_idc`, 0 to 3. It is 0 if no other picture is predicted from this NAL unit.
    public var referenceIDC: Int { Int(rawValue >> 5 & 3) }

    /// The same header with `nal_ref_idc` 0.
    package var withoutReference: NALUnitHeader { NALUnitHeader(rawValue: rawValue & 0x9F) }

    /// Whether other pictures may be predicted from this NAL unit.
    public var isReference: Bool { referenceIDC != 0 }

    /// `forbidden_zero_bit`, which is clear in every valid NAL unit.
    public var hasForbiddenBit: Bool { rawValue & 0x80 != 0 }

    /// Whether the NAL unit begins with a slice header: slices and data partition A, not partitions B and C.
    package var hasSliceHeader: Bool { type == .slice || type == .sliceDataPartitionA || type == .sliceIDR }
}
