/// The profile, tier and level of an entire H.265 stream: the capabilities that a decoder needs (ITU-T H.265 7.3.3).
public struct HEVCProfileTierLevel: Hashable, Sendable {
    /// `general_profile_space`, 0 to 3.
    public package(set) var profileSpace = 0
    /// `general_tier_flag`: 0 Main tier, 1 High tier.
    public package(set) var tier = 0
    /// `general_profile_idc`, 0 to 31: 1 Main, 2 Main 10, 3 Main Still Picture, 4 range extensions, and so on.
    public package(set) var profileIDC = 0
    /// `general_profile_compatibility_flag[ j ]`; flag 0 is the most significant bit.
    public package(set) var compatibilityFlags: UInt32 = 0
    /// The 48 bits from `general_progressive_source_flag` on, the first one most significant.
    public package(set) var constraintFlags: UInt64 = 0
    /// `general_level_idc`: thirty times the level; 93 is level 3.1.
    public package(set) var levelIDC = 0
}

extension HEVCProfileTierLevel {
    /// Reads `profile_tier_level( 1, maxNumSubLayersMinus1 )`. Throws `.badData` if the payload ends early.
    init(in reader: inout BitReader, subLayers: Int) throws(NaluError) {
        self.init()
        profileSpace = Int(try reader.bits(2, "general_profile_space"))
        tier = Int(try reader.bits(1, "general_tier_flag"))
        profileIDC = Int(try reader.bits(5, "general_profile_idc"))
        for _ in 0..<32 {
            compatibilityFlags = compatibilityFlags << 1 | (try reader.bits(1, "general_profile_compatibility_flag"))
        }
        for element in constraintElements {
            constraintFlags = constraintFlags << element.bits | UInt64(try reader.bits(element.bits, element.name))
        }
        levelIDC = Int(try reader.bits(8, "general_level_idc"))
        var isPresent: [(profile: Bool, level: Bool)] = []
        for _ in 1..<max(subLayers, 1) {
            let profile = try reader.flag("sub_layer_profile_present_flag")
            isPresent.append((profile, try reader.flag("sub_layer_level_present_flag")))
        }
        if subLayers > 1 {
            for _ in subLayers..<9 { _ = try reader.bits(2, "reserved_zero_2bits") }
        }
        for layer in isPresent {
            if layer.profile { try reader.skip(88, "sub_layer_profile_idc") }
            if layer.level { _ = try reader.bits(8, "sub_layer_level_idc") }
        }
    }

    private func isCompatible(_ profiles: Int...) -> Bool {
        profiles.contains { profileIDC == $0 || compatibilityFlags << $0 & 0x8000_0000 != 0 }
    }

    /// The elements of the 48 bits, which depend on the profiles that the stream is compatible with.
    private var constraintElements: [(bits: Int, name: StaticString)] {
        var elements: [(bits: Int, name: StaticString)] = [
            (1, "general_progressive_source_flag"), (1, "general_interlaced_source_flag"),
            (1, "general_non_packed_constraint_flag"), (1, "general_frame_only_constraint_flag"),
        ]
        if isCompatible(4, 5, 6, 7, 8, 9, 10, 11) {
            elements += [
                (1, "general_max_12bit_constraint_flag"), (1, "general_max_10bit_constraint_flag"),
                (1, "general_max_8bit_constraint_flag"), (1, "general_max_422chroma_constraint_flag"),
                (1, "general_max_420chroma_constraint_flag"), (1, "general_max_monochrome_constraint_flag"),
                (1, "general_intra_constraint_flag"), (1, "general_one_picture_only_constraint_flag"),
                (1, "general_lower_bit_rate_constraint_flag"),
            ]
            elements +=
                isCompatible(5, 9, 10, 11)
                ? [
                    (1, "general_max_14bit_constraint_flag"), (24, "general_reserved_zero_33bits"),
                    (9, "general_reserved_zero_33bits"),
                ] : [(24, "general_reserved_zero_34bits"), (10, "general_reserved_zero_34bits")]
        } else if isCompatible(2) {
            elements += [
                (7, "general_reserved_zero_7bits"), (1, "general_one_picture_only_constraint_flag"),
                (24, "general_reserved_zero_35bits"), (11, "general_reserved_zero_35bits"),
            ]
        } else {
            elements += [(24, "general_reserved_zero_43bits"), (19, "general_reserved_zero_43bits")]
        }
        let isIndependent = isCompatible(1, 2, 3, 4, 5, 9, 11)
        return elements + [(1, isIndependent ? "general_inbld_flag" : "general_reserved_zero_bit")]
    }
}
