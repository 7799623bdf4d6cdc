internal import Nalu

// Names for the numbers of H.265.
extension StandardNames {
    /// Returns the profile's name (A.3).
    static func profile(_ set: HEVCProfileTierLevel) -> String {
        let compatible = (1...11).first { set.compatibilityFlags << $0 & 0x8000_0000 != 0 }
        let number = set.profileIDC == 0 ? compatible ?? 0 : set.profileIDC
        switch number {
        case 4: return rangeExtension(set)
        case 1...11:
            return [
                "Main", "Main 10", "Main Still Picture", "", "High Throughput", "Multiview Main", "Scalable Main",
                "3D Main", "Screen-Extended Main", "Scalable Range Extensions", "High Throughput Screen-Extended",
            ][number - 1]
        default: return "profile \(number)"
        }
    }

    /// Returns the name of a format range extensions profile, by its constraint flags (table A.2).
    private static func rangeExtension(_ set: HEVCProfileTierLevel) -> String {
        // Place 0 is general_max_12bit_constraint_flag, the fifth of the 48 flag bits.
        func has(_ place: Int) -> Bool { set.constraintFlags >> UInt64(43 - place) & 1 != 0 }
        let depth = has(2) ? "" : has(1) ? " 10" : has(0) ? " 12" : " 16"
        let chroma = has(5) ? "" : has(4) ? "" : has(3) ? " 4:2:2" : " 4:4:4"
        return (has(5) ? "Monochrome" : "Main") + chroma + depth + (has(6) ? " Intra" : "")
            + (has(7) ? " Still Picture" : "")
    }

    /// Returns the level, for example "3.1".
    static func level(_ set: HEVCProfileTierLevel) -> String {
        let tenths = (set.levelIDC + 1) / 3
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// Returns the codecs parameter of MP4 and MIME types (ISO/IEC 14496-15 E.3), for example "hvc1.1.6.L93.90".
    static func codec(_ set: HEVCProfileTierLevel) -> String {
        let space = ["", "A", "B", "C"][set.profileSpace & 3]
        var compatibility: UInt32 = 0
        for bit in 0..<32 { compatibility |= (set.compatibilityFlags >> bit & 1) << (31 - bit) }
        var text = "hvc1.\(space)\(set.profileIDC).\(String(compatibility, radix: 16))"
        text += ".\(set.tier == 0 ? "L" : "H")\(set.levelIDC)"
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: set.constraintFlags >> (40 - 8 * $0)) }
        while bytes.last == 0 { bytes.removeLast() }
        return bytes.reduce(text) { "\($0).\(String($1, radix: 16))" }
    }

    /// Returns the name of a NAL unit type (table 7-1).
    static func unit(_ type: HEVCUnitType) -> String {
        let names = [
            "VPS", "SPS", "PPS", "access unit delimiter", "end of sequence", "end of stream", "filler", "prefix SEI",
            "suffix SEI",
        ]
        let number = Int(type.rawValue)
        if type.isSlice { return "\(sliceType(type)) slice" }
        return (32...40).contains(number) ? names[number - 32] : number < 48 ? "reserved" : "unspecified"
    }

    /// Returns the name of a slice segment's NAL unit type (table 7-1).
    static func sliceType(_ type: HEVCUnitType) -> String {
        let first = [
            "TRAIL_N", "TRAIL_R", "TSA_N", "TSA_R", "STSA_N", "STSA_R", "RADL_N", "RADL_R", "RASL_N", "RASL_R",
        ]
        let access = ["BLA_W_LP", "BLA_W_RADL", "BLA_N_LP", "IDR_W_RADL", "IDR_N_LP", "CRA_NUT"]
        let number = Int(type.rawValue)
        return number < 10 ? first[number] : (16...21).contains(number) ? access[number - 16] : "reserved"
    }
}
