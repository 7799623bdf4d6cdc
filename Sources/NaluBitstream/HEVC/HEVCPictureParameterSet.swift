/// The content of an H.265 picture parameter set (ITU-T H.265 7.3.2.3) that slice segment headers and an `hvcC` record
/// need.
public struct HEVCPictureParameterSet: Hashable, Sendable, ParsedUnit {
    /// `pps_pic_parameter_set_id`, 0 to 63.
    public let id: Int
    /// The `sps_seq_parameter_set_id` of the SPS that the PPS refers to, 0 to 15.
    public let sequenceParameterSetID: Int
    /// Whether a slice can have dependent segments, which take most header fields from the segment before them.
    public let hasDependentSegments: Bool
    /// Whether slices contain `pic_output_flag`.
    public let hasOutputFlag: Bool
    /// The number of reserved bits in slice headers, 0 to 7.
    public let extraHeaderBits: Int
    public let usesTiles: Bool
    /// Whether rows of coding tree blocks can be decoded in parallel (wavefronts).
    public let usesEntropySync: Bool
    let allowsTransformSkip: Bool

    /// Reads one PPS NAL unit, with header and emulation prevention bytes, without start code.
    ///
    /// Throws `.badData` if the NAL unit is not a PPS of layer 0, is cut off, or holds a value that the standard
    /// forbids.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        var reader = unsafe try BitReader(hevcUnit: unit, type: .pictureParameterSet, unitName: "PPS")
        try self.init(in: &reader)
    }

    init(in reader: inout BitReader) throws(NaluError) {
        id = try reader.unsigned("pps_pic_parameter_set_id", 0...63)
        sequenceParameterSetID = try reader.unsigned("pps_seq_parameter_set_id", 0...15)
        hasDependentSegments = try reader.flag("dependent_slice_segments_enabled_flag")
        hasOutputFlag = try reader.flag("output_flag_present_flag")
        extraHeaderBits = Int(try reader.bits(3, "num_extra_slice_header_bits"))
        _ = try reader.flag("sign_data_hiding_enabled_flag")
        _ = try reader.flag("cabac_init_present_flag")
        _ = try reader.unsigned("num_ref_idx_l0_default_active_minus1", 0...14)
        _ = try reader.unsigned("num_ref_idx_l1_default_active_minus1", 0...14)
        // With 16-bit luma the lowest QP is -48, so that init_qp_minus26 can be -74.
        _ = try reader.signed("init_qp_minus26", -74...25)
        _ = try reader.flag("constrained_intra_pred_flag")
        allowsTransformSkip = try reader.flag("transform_skip_enabled_flag")
        if try reader.flag("cu_qp_delta_enabled_flag") {
            _ = try reader.unsigned("diff_cu_qp_delta_depth", 0...3)
        }
        _ = try reader.signed("pps_cb_qp_offset", -12...12)
        _ = try reader.signed("pps_cr_qp_offset", -12...12)
        _ = try reader.flag("pps_slice_chroma_qp_offsets_present_flag")
        _ = try reader.flag("weighted_pred_flag")
        _ = try reader.flag("weighted_bipred_flag")
        _ = try reader.flag("transquant_bypass_enabled_flag")
        usesTiles = try reader.flag("tiles_enabled_flag")
        usesEntropySync = try reader.flag("entropy_coding_sync_enabled_flag")
    }
}
