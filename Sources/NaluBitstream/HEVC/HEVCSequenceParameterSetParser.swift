/// Reads an H.265 sequence parameter set up to its extensions.
struct HEVCSequenceParameterSetParser: ListingParser {
    private(set) var result = HEVCSequenceParameterSet()
    var reader: BitReader
    /// The bit position of `vui_parameters_present_flag`.
    private(set) var usabilityFlagPosition = 0

    /// Throws `.badData` and `.unsupportedDataFormat` as `HEVCSequenceParameterSet.init(parsing:)` does.
    init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        try unsafe self.init(opening: unit)
        try read()
    }

    init(opening unit: UnsafeRawBufferPointer) throws(NaluError) {
        reader = unsafe try BitReader(hevcUnit: unit, type: .sequenceParameterSet, unitName: "SPS")
    }

    mutating func readAll() throws(NaluError) {
        try read()
        try readExtensions()
    }

    private mutating func read() throws(NaluError) {
        result.videoParameterSetID = Int(try reader.bits(4, "sps_video_parameter_set_id"))
        result.subLayerCount = 1 + Int(try reader.bits(3, "sps_max_sub_layers_minus1"))
        guard result.subLayerCount <= 7 else {
            throw NaluError(.badData, "sps_max_sub_layers_minus1 is 7; expected 0 to 6")
        }
        result.isTemporalIDNested = try reader.flag("sps_temporal_id_nesting_flag")
        result.profileTierLevel = try HEVCProfileTierLevel(in: &reader, subLayers: result.subLayerCount)
        result.id = try reader.unsigned("sps_seq_parameter_set_id", 0...15)
        try readPicture()
        try readOrder()
        try readBlocks()
        try readReferences()
        _ = try reader.flag("sps_temporal_mvp_enabled_flag")
        _ = try reader.flag("strong_intra_smoothing_enabled_flag")
        usabilityFlagPosition = reader.position
        if try reader.flag("vui_parameters_present_flag") {
            try readUsability()
        }
    }
}

// MARK: - Pictures

extension HEVCSequenceParameterSetParser {
    private mutating func readPicture() throws(NaluError) {
        result.chromaFormatIDC = try reader.unsigned("chroma_format_idc", 0...3)
        if result.chromaFormatIDC == 3 {
            result.separateColourPlanes = try reader.flag("separate_colour_plane_flag")
        }
        result.codedWidth = try reader.unsigned("pic_width_in_luma_samples", 1...0xFFFF_FFFE)
        result.codedHeight = try reader.unsigned("pic_height_in_luma_samples", 1...0xFFFF_FFFE)
        try result.checkSize()
        if try reader.flag("conformance_window_flag") {
            try result.readCropping(in: &reader)
        }
        result.lumaBitDepth = 8 + (try reader.unsigned("bit_depth_luma_minus8", 0...8))
        result.chromaBitDepth = 8 + (try reader.unsigned("bit_depth_chroma_minus8", 0...8))
    }

    private mutating func readOrder() throws(NaluError) {
        result.picOrderCountBits = 4 + (try reader.unsigned("log2_max_pic_order_cnt_lsb_minus4", 0...12))
        let saysAll = try reader.flag("sps_sub_layer_ordering_info_present_flag")
        for _ in 0..<(saysAll ? result.subLayerCount : 1) {
            result.maximumKeptPictures = try reader.unsigned("sps_max_dec_pic_buffering_minus1", 0...15)
            result.reorderDepth = try reader.unsigned("sps_max_num_reorder_pics", 0...result.maximumKeptPictures)
            _ = try reader.unsigned("sps_max_latency_increase_plus1", BitReader.anyUnsigned)
        }
    }

    private mutating func readBlocks() throws(NaluError) {
        let smallest = 3 + (try reader.unsigned("log2_min_luma_coding_block_size_minus3", 0...3))
        let largest = smallest + (try reader.unsigned("log2_diff_max_min_luma_coding_block_size", 0...3))
        guard (4...6).contains(largest) else {
            throw NaluError(.badData, "coding tree blocks have \(1 << largest) pixels a side; expected 16 to 64")
        }
        result.treeBlockSize = 1 << largest
        let mask = (1 << smallest) - 1
        guard result.codedWidth & mask == 0, result.codedHeight & mask == 0 else {
            throw NaluError(
                .badData,
                "the SPS has \(result.codedWidth) x \(result.codedHeight) pixels; expected multiples of its smallest "
                    + "coding block, \(mask + 1)")
        }
        let smallestTransform = 2 + (try reader.unsigned("log2_min_luma_transform_block_size_minus2", 0...3))
        let difference = try reader.unsigned("log2_diff_max_min_luma_transform_block_size", 0...3)
        guard smallestTransform < smallest, smallestTransform + difference <= min(largest, 5) else {
            throw NaluError(
                .badData,
                "transform blocks have \(1 << smallestTransform) to \(1 << (smallestTransform + difference)) pixels a "
                    + "side; expected from below \(1 << smallest) to at most \(1 << min(largest, 5))")
        }
        _ = try reader.unsigned("max_transform_hierarchy_depth_inter", 0...4)
        _ = try reader.unsigned("max_transform_hierarchy_depth_intra", 0...4)
        if try reader.flag("scaling_list_enabled_flag"), try reader.flag("sps_scaling_list_data_present_flag") {
            try HEVCScalingLists.skip(in: &reader)
        }
        _ = try reader.flag("amp_enabled_flag")
        _ = try reader.flag("sample_adaptive_offset_enabled_flag")
        if try reader.flag("pcm_enabled_flag") {
            _ = try reader.bits(4, "pcm_sample_bit_depth_luma_minus1")
            _ = try reader.bits(4, "pcm_sample_bit_depth_chroma_minus1")
            _ = try reader.unsigned("log2_min_pcm_luma_coding_block_size_minus3", 0...2)
            _ = try reader.unsigned("log2_diff_max_min_pcm_luma_coding_block_size", 0...2)
            _ = try reader.flag("pcm_loop_filter_disabled_flag")
        }
    }

    private mutating func readReferences() throws(NaluError) {
        let count = try reader.unsigned("num_short_term_ref_pic_sets", 0...64)
        for _ in 0..<count {
            let set = try HEVCShortTermReferences(in: &reader, after: result.shortTermReferences, isInSlice: false)
            result.shortTermReferences.append(set)
        }
        result.hasLongTermReferences = try reader.flag("long_term_ref_pics_present_flag")
        guard result.hasLongTermReferences else { return }
        let longTermCount = try reader.unsigned("num_long_term_ref_pics_sps", 0...32)
        for _ in 0..<longTermCount {
            let order = Int(try reader.bits(result.picOrderCountBits, "lt_ref_pic_poc_lsb_sps"))
            let isUsed = try reader.flag("used_by_curr_pic_lt_sps_flag")
            result.longTermReferences.append(.init(orderLSB: order, cycle: nil, isUsed: isUsed))
        }
    }
}

// MARK: - Video usability information

extension HEVCSequenceParameterSetParser {
    private mutating func readUsability() throws(NaluError) {
        try result.readShapeAndColour(in: &reader)
        _ = try reader.flag("neutral_chroma_indication_flag")
        result.isFieldSequence = try reader.flag("field_seq_flag")
        result.hasPictureStructure = try reader.flag("frame_field_info_present_flag")
        if try reader.flag("default_display_window_flag") {
            _ = try reader.unsigned("def_disp_win_left_offset", BitReader.anyUnsigned)
            _ = try reader.unsigned("def_disp_win_right_offset", BitReader.anyUnsigned)
            _ = try reader.unsigned("def_disp_win_top_offset", BitReader.anyUnsigned)
            _ = try reader.unsigned("def_disp_win_bottom_offset", BitReader.anyUnsigned)
        }
        if try reader.flag("vui_timing_info_present_flag") {
            try readTiming()
        }
        if try reader.flag("bitstream_restriction_flag") {
            _ = try reader.flag("tiles_fixed_structure_flag")
            _ = try reader.flag("motion_vectors_over_pic_boundaries_flag")
            _ = try reader.flag("restricted_ref_pic_lists_flag")
            result.minimumSpatialSegmentation = try reader.unsigned("min_spatial_segmentation_idc", 0...4095)
            _ = try reader.unsigned("max_bytes_per_pic_denom", 0...16)
            _ = try reader.unsigned("max_bits_per_min_cu_denom", 0...16)
            _ = try reader.unsigned("log2_max_mv_length_horizontal", 0...16)
            _ = try reader.unsigned("log2_max_mv_length_vertical", 0...16)
        }
    }

    private mutating func readTiming() throws(NaluError) {
        let unitsInTick = try reader.bits(32, "vui_num_units_in_tick")
        let timeScale = try reader.bits(32, "vui_time_scale")
        if unitsInTick != 0, timeScale != 0 {
            result.unitsInTick = unitsInTick
            result.timeScale = timeScale
        }
        if try reader.flag("vui_poc_proportional_to_timing_flag") {
            _ = try reader.unsigned("vui_num_ticks_poc_diff_one_minus1", BitReader.anyUnsigned)
        }
        if try reader.flag("vui_hrd_parameters_present_flag") {
            let decoder = try HEVCReferenceDecoder(in: &reader, subLayers: result.subLayerCount)
            result.hasNALHRD = decoder.hasNAL
            result.hasFixedFrameRate = decoder.hasFixedFrameRate
            result.referenceDecoder = decoder
        }
    }
}

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
