extension HEVCSequenceParameterSetParser {
    /// Reads the extension flags and the range extension, which follow the video usability information (ITU-T H.265
    /// 7.3.2.2.1 and 7.3.2.2.2). Only lists of all elements need them.
    mutating func readExtensions() throws(NaluError) {
        guard try reader.flag("sps_extension_present_flag") else { return }
        let hasRange = try reader.flag("sps_range_extension_flag")
        _ = try reader.flag("sps_multilayer_extension_flag")
        _ = try reader.flag("sps_3d_extension_flag")
        _ = try reader.flag("sps_scc_extension_flag")
        _ = try reader.bits(4, "sps_extension_4bits")
        guard hasRange else { return }
        let names: [StaticString] = [
            "transform_skip_rotation_enabled_flag", "transform_skip_context_enabled_flag",
            "implicit_rdpcm_enabled_flag", "explicit_rdpcm_enabled_flag", "extended_precision_processing_flag",
            "intra_smoothing_disabled_flag", "high_precision_offsets_enabled_flag",
            "persistent_rice_adaptation_enabled_flag", "cabac_bypass_alignment_enabled_flag",
        ]
        for name in names { _ = try reader.flag(name) }
    }
}
