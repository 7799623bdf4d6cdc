/// Raises the level in H.265 parameter sets.
package enum HEVCLevelEditor {
    /// Returns a VPS or SPS NAL unit whose `general_level_idc` is at least `levelIDC`, thirty times the level. Other NAL
    /// units, and parameter sets with that level or a higher one, are returned unchanged. The NAL unit has its header and
    /// emulation prevention bytes.
    package static func raise(_ unit: [UInt8], to levelIDC: Int) -> [UInt8] {
        var bytes = unsafe unit.withUnsafeBytes { unsafe EmulationPrevention.removing(from: $0) }
        guard let position = position(in: bytes), position < bytes.count, bytes[position] < levelIDC else {
            return unit
        }
        bytes[position] = UInt8(clamping: levelIDC)
        return EmulationPrevention.inserting(into: bytes)
    }

    /// Returns the place of `general_level_idc`, which whole bytes of fixed size precede (ITU-T H.265 7.3.2.1, 7.3.2.2.1
    /// and 7.3.3).
    private static func position(in bytes: [UInt8]) -> Int? {
        guard let header = bytes.first else { return nil }
        switch HEVCUnitType(rawValue: header >> 1 & 63) {
        case .videoParameterSet: return 17
        case .sequenceParameterSet: return 14
        default: return nil
        }
    }
}
