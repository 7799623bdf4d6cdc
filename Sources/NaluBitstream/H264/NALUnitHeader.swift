/// The first byte of a NAL unit (ITU-T H.264 7.3.1): forbidden bit, reference importance and type.
public struct NALUnitHeader: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The header of a whole unit; nil for no bytes.
    public init?(of unit: UnsafeRawBufferPointer) {
        guard let first = unsafe unit.first else {
            return nil
        }
        rawValue = first
    }

    /// What the unit holds: the low five bits.
    public var type: NALUnitType { NALUnitType(rawValue: rawValue & 0x1F) }

    /// `nal_ref_idc`, 0 to 3: 0 when no other picture is predicted from this unit.
    public var referenceIDC: Int { Int(rawValue >> 5 & 3) }

    /// Whether other pictures may be predicted from this unit.
    public var isReference: Bool { referenceIDC != 0 }

    /// The bit that every sound unit has clear.
    public var hasForbiddenBit: Bool { rawValue & 0x80 != 0 }

    /// Whether the unit begins with a slice header: slices and data partition A, not partitions B and C.
    package var hasSliceHeader: Bool { type == .slice || type == .sliceDataPartitionA || type == .sliceIDR }
}
