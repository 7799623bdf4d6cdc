extension HEVCPictureParameterSet {
    /// Returns every syntax element of a PPS NAL unit in order, and the error that ended the list early, if any. The
    /// only extension listed is the range extension.
    public static func elements(of unit: [UInt8]) -> (elements: [SyntaxElement], error: NaluError?) {
        BitReader.elements(of: unit, type: .pictureParameterSet, unitName: "PPS") { (reader) throws(NaluError) in
            let set = try HEVCPictureParameterSet(in: &reader)
            if set.usesTiles { try readTiles(in: &reader) }
            try readFilter(in: &reader)
            if try reader.flag("pps_scaling_list_data_present_flag") { try HEVCScalingLists.skip(in: &reader) }
            _ = try reader.flag("lists_modification_present_flag")
            _ = try reader.unsigned("log2_parallel_merge_level_minus2", 0...4)
            _ = try reader.flag("slice_segment_header_extension_present_flag")
            guard try reader.flag("pps_extension_present_flag") else { return }
            let hasRange = try reader.flag("pps_range_extension_flag")
            _ = try reader.flag("pps_multilayer_extension_flag")
            _ = try reader.flag("pps_3d_extension_flag")
            _ = try reader.flag("pps_scc_extension_flag")
            _ = try reader.bits(4, "pps_extension_4bits")
            if hasRange { try set.readRange(in: &reader) }
        }
    }

    private static func readTiles(in reader: inout BitReader) throws(NaluError) {
        // The smallest tile has 256 columns and 64 rows of pixels.
        let columns = try reader.unsigned("num_tile_columns_minus1", 0...255)
        let rows = try reader.unsigned("num_tile_rows_minus1", 0...255)
        if try !reader.flag("uniform_spacing_flag") {
            for _ in 0..<columns { _ = try reader.unsigned("column_width_minus1", BitReader.anyUnsigned) }
            for _ in 0..<rows { _ = try reader.unsigned("row_height_minus1", BitReader.anyUnsigned) }
        }
        _ = try reader.flag("loop_filter_across_tiles_enabled_flag")
    }

    private static func readFilter(in reader: inout BitReader) throws(NaluError) {
        _ = try reader.flag("pps_loop_filter_across_slices_enabled_flag")
        guard try reader.flag("deblocking_filter_control_present_flag") else { return }
        _ = try reader.flag("deblocking_filter_override_enabled_flag")
        guard try !reader.flag("pps_deblocking_filter_disabled_flag") else { return }
        _ = try reader.signed("pps_beta_offset_div2", -6...6)
        _ = try reader.signed("pps_tc_offset_div2", -6...6)
    }

    /// Reads the range extension (ITU-T H.265 7.3.2.3.2).
    private func readRange(in reader: inout BitReader) throws(NaluError) {
        if allowsTransformSkip { _ = try reader.unsigned("log2_max_transform_skip_block_size_minus2", 0...3) }
        _ = try reader.flag("cross_component_prediction_enabled_flag")
        if try reader.flag("chroma_qp_offset_list_enabled_flag") {
            _ = try reader.unsigned("diff_cu_chroma_qp_offset_depth", 0...3)
            for _ in 0...(try reader.unsigned("chroma_qp_offset_list_len_minus1", 0...5)) {
                _ = try reader.signed("cb_qp_offset_list", -12...12)
                _ = try reader.signed("cr_qp_offset_list", -12...12)
            }
        }
        _ = try reader.unsigned("log2_sao_offset_scale_luma", 0...8)
        _ = try reader.unsigned("log2_sao_offset_scale_chroma", 0...8)
    }
}
