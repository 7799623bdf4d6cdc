/// The two bytes at the beginning of an H.265 NAL unit (ITU-T H.265 7.3.1.2): forbidden bit, type, layer and sub-layer.
public struct HEVCUnitHeader: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Reads the header of a NAL unit; nil if there are fewer than two bytes.
    public init?(of unit: UnsafeRawBufferPointer) {
        guard unit.count >= 2 else { return nil }
        rawValue = unsafe UInt16(unit[0]) << 8 | UInt16(unit[1])
    }

    public init?(of unit: [UInt8]) {
        guard unit.count >= 2 else { return nil }
        rawValue = UInt16(unit[0]) << 8 | UInt16(unit[1])
    }

    public var type: HEVCUnitType { HEVCUnitType(rawValue: UInt8(truncatingIfNeeded: rawValue >> 9 & 63)) }

    /// `nuh_layer_id`, 0 to 63: 0 is the base layer, the only one that is decoded.
    public var layerID: Int { Int(rawValue >> 3 & 63) }

    /// `TemporalId`, 0 to 6; -1 if the header is invalid.
    public var temporalID: Int { Int(rawValue & 7) - 1 }

    /// Whether the header is valid: the forbidden bit is clear and `nuh_temporal_id_plus1` is not 0.
    public var isSound: Bool { rawValue & 0x8000 == 0 && rawValue & 7 != 0 }
}
