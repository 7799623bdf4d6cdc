/// Which decoders can decode an H.265 stream (ITU-T H.265 7.3.3), as far as it is said of the whole stream.
public struct HEVCProfileTierLevel: Hashable, Sendable {
    /// `general_profile_space`, 0 to 3.
    public internal(set) var profileSpace = 0
    /// `general_tier_flag`: 0 Main tier, 1 High tier.
    public internal(set) var tier = 0
    /// `general_profile_idc`, 0 to 31: 1 Main, 2 Main 10, 3 Main Still Picture, 4 range extensions, and so on.
    public internal(set) var profileIDC = 0
    /// `general_profile_compatibility_flag[ j ]`, the first one highest.
    public internal(set) var compatibilityFlags: UInt32 = 0
    /// The 48 bits from `general_progressive_source_flag` on, the first one highest.
    public internal(set) var constraintFlags: UInt64 = 0
    /// `general_level_idc`: thirty times the level, 93 is level 3.1.
    public internal(set) var levelIDC = 0
}

extension HEVCProfileTierLevel {
    /// `profile_tier_level( 1, maxNumSubLayersMinus1 )`. Throws `.badData` when the payload ends inside.
    init(in reader: inout BitReader, subLayers: Int) throws(NaluError) {
        self.init()
        profileSpace = Int(try reader.bits(2, "general_profile_space"))
        tier = Int(try reader.bits(1, "general_tier_flag"))
        profileIDC = Int(try reader.bits(5, "general_profile_idc"))
        compatibilityFlags = try reader.bits(32, "general_profile_compatibility_flag")
        constraintFlags = UInt64(try reader.bits(16, "general constraint flags")) << 32
        constraintFlags |= UInt64(try reader.bits(32, "general constraint flags"))
        levelIDC = Int(try reader.bits(8, "general_level_idc"))
        var isPresent: [(profile: Bool, level: Bool)] = []
        for _ in 1..<max(subLayers, 1) {
            let profile = try reader.flag("sub_layer_profile_present_flag")
            isPresent.append((profile, try reader.flag("sub_layer_level_present_flag")))
        }
        if subLayers > 1 {
            try reader.skip(2 * (9 - subLayers), "reserved_zero_2bits")
        }
        for layer in isPresent {
            if layer.profile { try reader.skip(88, "sub_layer_profile_idc") }
            if layer.level { try reader.skip(8, "sub_layer_level_idc") }
        }
    }
}
