/// Reads a sequence parameter set, and records the positions of the fields that ``SequenceParameterSetEditor``
/// replaces.
struct SequenceParameterSetParser: ListingParser {
    /// The profiles whose SPS contains chroma format, bit depths and scaling lists (ITU-T H.264 7.3.2.1.1).
    static let highProfiles: Set<Int> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    /// The profiles that are intra-only if constraint_set3_flag is set (E.2.1).
    private static let intraCapableProfiles: Set<Int> = [44, 86, 100, 110, 122, 244]

    private(set) var result = SequenceParameterSet()
    var reader: BitReader
    /// The bit range of `log2_max_frame_num_minus4`.
    private(set) var frameNumberRange = 0..<0
    /// The bit position of `vui_parameters_present_flag`.
    private(set) var usabilityFlagPosition = 0
    /// The bit range of `timing_info_present_flag` and its fields; nil without VUI.
    private(set) var timingRange: Range<Int>?
    /// The bit range of frame_cropping_flag and its offsets.
    private(set) var croppingRange = 0..<0
    /// The bit position of each `cbr_flag` of the NAL HRD parameters.
    private(set) var nalConstantFlags: [Int] = []

    /// Throws `.badData` and `.unsupportedDataFormat` as `SequenceParameterSet.init(parsing:)` does.
    init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        try unsafe self.init(opening: unit)
        try readAll()
    }

    init(opening unit: UnsafeRawBufferPointer) throws(NaluError) {
        reader = unsafe try BitReader(unit: unit, type: .sequenceParameterSet, unitName: "SPS")
    }

    mutating func readAll() throws(NaluError) {
        try readProfile()
        try readPictureOrder()
        try readSize()
        usabilityFlagPosition = reader.position
        if try reader.flag("vui_parameters_present_flag") {
            try readUsability()
        }
        applyReorderDefault()
    }

    // MARK: - Profile and samples

    private static let constraintFlagNames: [StaticString] = [
        "constraint_set0_flag", "constraint_set1_flag", "constraint_set2_flag", "constraint_set3_flag",
        "constraint_set4_flag", "constraint_set5_flag",
    ]

    private mutating func readProfile() throws(NaluError) {
        result.profileIDC = Int(try reader.bits(8, "profile_idc"))
        for name in Self.constraintFlagNames {
            result.constraintFlags = result.constraintFlags << 1 | (try reader.flag(name) ? 1 : 0)
        }
        result.constraintFlags = result.constraintFlags << 2 | Int(try reader.bits(2, "reserved_zero_2bits"))
        result.levelIDC = Int(try reader.bits(8, "level_idc"))
        let spellsLevel1bByFlag = [66, 77, 88].contains(result.profileIDC)
        if spellsLevel1bByFlag, result.levelIDC == 11, result.constraintFlags & 0x10 != 0 {
            result.levelIDC = 9
        }
        result.id = try reader.unsigned("seq_parameter_set_id", 0...31)
        guard Self.highProfiles.contains(result.profileIDC) else { return }
        result.chromaFormatIDC = try reader.unsigned("chroma_format_idc", 0...3)
        if result.chromaFormatIDC == 3 {
            result.separateColourPlanes = try reader.flag("separate_colour_plane_flag")
        }
        result.lumaBitDepth = 8 + (try reader.unsigned("bit_depth_luma_minus8", 0...6))
        result.chromaBitDepth = 8 + (try reader.unsigned("bit_depth_chroma_minus8", 0...6))
        result.isLosslessAtZero = try reader.flag("qpprime_y_zero_transform_bypass_flag")
        if try reader.flag("seq_scaling_matrix_present_flag") {
            try ScalingLists.skip(
                in: &reader, count: result.chromaFormatIDC == 3 ? 12 : 8, flagName: "seq_scaling_list_present_flag")
        }
    }

    // MARK: - Order

    private mutating func readPictureOrder() throws(NaluError) {
        let frameNumberStart = reader.position
        result.frameNumberBits = 4 + (try reader.unsigned("log2_max_frame_num_minus4", 0...12))
        frameNumberRange = frameNumberStart..<reader.position
        result.picOrderCountType = try reader.unsigned("pic_order_cnt_type", 0...2)
        if result.picOrderCountType == 0 {
            result.picOrderCountBits = 4 + (try reader.unsigned("log2_max_pic_order_cnt_lsb_minus4", 0...12))
        } else if result.picOrderCountType == 1 {
            var cycle = PictureOrderCycle()
            cycle.deltaAlwaysZero = try reader.flag("delta_pic_order_always_zero_flag")
            cycle.nonReferenceOffset = try reader.signed("offset_for_non_ref_pic", BitReader.anySigned)
            cycle.topToBottomOffset = try reader.signed("offset_for_top_to_bottom_field", BitReader.anySigned)
            let count = try reader.unsigned("num_ref_frames_in_pic_order_cnt_cycle", 0...255)
            for _ in 0..<count {
                cycle.referenceOffsets.append(try reader.signed("offset_for_ref_frame", BitReader.anySigned))
            }
            result.picOrderCycle = cycle
        }
        result.maxReferenceFrames = try reader.unsigned("max_num_ref_frames", 0...16)
        result.allowsFrameNumberGaps = try reader.flag("gaps_in_frame_num_value_allowed_flag")
    }

    private mutating func applyReorderDefault() {
        guard result.reorderDepth == nil else { return }
        let isIntraOnly = Self.intraCapableProfiles.contains(result.profileIDC) && result.constraintFlags & 0x10 != 0
        if result.picOrderCountType == 2 || isIntraOnly {
            result.reorderDepth = 0
        }
    }

    // MARK: - Size

    private mutating func readSize() throws(NaluError) {
        let widthInMacroblocks = 1 + (try reader.unsigned("pic_width_in_mbs_minus1", BitReader.anyUnsigned))
        let heightInMapUnits = 1 + (try reader.unsigned("pic_height_in_map_units_minus1", BitReader.anyUnsigned))
        result.frameMbsOnly = try reader.flag("frame_mbs_only_flag")
        if !result.frameMbsOnly {
            _ = try reader.flag("mb_adaptive_frame_field_flag")
        }
        _ = try reader.flag("direct_8x8_inference_flag")

        // Both factors are below 2^33, so that nothing here overflows before it has been checked.
        result.codedWidth = widthInMacroblocks * 16
        result.codedHeight = heightInMapUnits * 16 * (result.frameMbsOnly ? 1 : 2)
        try result.checkSize()
        let croppingStart = reader.position
        if try reader.flag("frame_cropping_flag") {
            try result.readCropping(in: &reader)
        }
        croppingRange = croppingStart..<reader.position
    }

    // MARK: - Video usability information

    private mutating func readUsability() throws(NaluError) {
        try result.readShapeAndColour(in: &reader)
        let timingStart = reader.position
        if try reader.flag("timing_info_present_flag") {
            let unitsInTick = try reader.bits(32, "num_units_in_tick")
            let timeScale = try reader.bits(32, "time_scale")
            result.hasFixedFrameRate = try reader.flag("fixed_frame_rate_flag")
            if unitsInTick != 0, timeScale != 0 {
                result.unitsInTick = unitsInTick
                result.timeScale = timeScale
            }
        }
        timingRange = timingStart..<reader.position
        result.hasNALHRD = try reader.flag("nal_hrd_parameters_present_flag")
        if result.hasNALHRD {
            result.nalHRD = try HRDParameters(in: &reader, constantFlags: &nalConstantFlags)
        }
        result.hasVCLHRD = try reader.flag("vcl_hrd_parameters_present_flag")
        if result.hasVCLHRD {
            var constantFlags: [Int] = []
            result.vclHRD = try HRDParameters(in: &reader, constantFlags: &constantFlags)
        }
        if result.hasNALHRD || result.hasVCLHRD {
            _ = try reader.flag("low_delay_hrd_flag")
        }
        result.hasPictureStructure = try reader.flag("pic_struct_present_flag")
        if try reader.flag("bitstream_restriction_flag") {
            try readRestriction()
        }
    }

    private mutating func readRestriction() throws(NaluError) {
        _ = try reader.flag("motion_vectors_over_pic_boundaries_flag")
        _ = try reader.unsigned("max_bytes_per_pic_denom", 0...16)
        _ = try reader.unsigned("max_bits_per_mb_denom", 0...16)
        _ = try reader.unsigned("log2_max_mv_length_horizontal", 0...16)
        _ = try reader.unsigned("log2_max_mv_length_vertical", 0...16)
        let reorderDepth = try reader.unsigned("max_num_reorder_frames", 0...16)
        let buffering = try reader.unsigned("max_dec_frame_buffering", 0...16)
        guard reorderDepth <= buffering else {
            throw NaluError(
                .badData,
                "max_num_reorder_frames is \(reorderDepth); expected at most max_dec_frame_buffering, \(buffering)"
            )
        }
        result.reorderDepth = reorderDepth
        result.maxDecodedFrameBuffering = buffering
    }
}
