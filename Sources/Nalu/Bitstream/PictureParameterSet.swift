/// What a picture parameter set says (ITU-T H.264 7.3.2.2), as far as it can be read without its SPS.
public struct PictureParameterSet: Hashable, Sendable {
    /// `pic_parameter_set_id`, 0 to 255.
    public let id: Int
    /// The `seq_parameter_set_id` that it belongs to, 0 to 31.
    public let sequenceParameterSetID: Int
    /// Whether slices are coded with CABAC; else with CAVLC.
    public let usesCABAC: Bool
    /// How many slice groups a picture has, 1 to 8.
    public let sliceGroupCount: Int
    /// The quantiser that slices start from, -36 to 51: `26 + pic_init_qp_minus26`.
    public let initialQP: Int
    /// Whether slices carry their own deblocking parameters.
    public let hasDeblockingControl: Bool

    /// Reads one PPS NAL unit: its header byte first, no start code, emulation prevention bytes in place.
    ///
    /// Throws `.badData` when the unit is no PPS, is cut off, or holds a value that the standard forbids.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        var reader = unsafe try BitReader(unit: unit, type: .pictureParameterSet, unitName: "PPS")
        id = try reader.unsigned("pic_parameter_set_id", 0...255)
        sequenceParameterSetID = try reader.unsigned("seq_parameter_set_id", 0...31)
        usesCABAC = try reader.flag("entropy_coding_mode_flag")
        try reader.skip(1, "bottom_field_pic_order_in_frame_present_flag")
        sliceGroupCount = 1 + (try reader.unsigned("num_slice_groups_minus1", 0...7))
        if sliceGroupCount > 1 {
            try Self.skipSliceGroups(sliceGroupCount, in: &reader)
        }
        _ = try reader.unsigned("num_ref_idx_l0_default_active_minus1", 0...31)
        _ = try reader.unsigned("num_ref_idx_l1_default_active_minus1", 0...31)
        try reader.skip(1, "weighted_pred_flag")
        guard try reader.bits(2, "weighted_bipred_idc") < 3 else {
            throw NaluError(.badData, "weighted_bipred_idc is 3, expected 0 to 2")
        }
        initialQP = 26 + (try reader.signed("pic_init_qp_minus26", -62...25))
        _ = try reader.signed("pic_init_qs_minus26", -26...25)
        _ = try reader.signed("chroma_qp_index_offset", -12...12)
        hasDeblockingControl = try reader.flag("deblocking_filter_control_present_flag")
        try reader.skip(2, "constrained_intra_pred_flag and redundant_pic_cnt_present_flag")
    }

    /// Reads one PPS NAL unit. Throws as ``init(parsing:)-(UnsafeRawBufferPointer)`` does.
    public init(parsing unit: [UInt8]) throws(NaluError) {
        self = unsafe try unit.withBytes { (bytes) throws(NaluError) in
            unsafe try PictureParameterSet(parsing: bytes)
        }
    }

    private static func skipSliceGroups(_ count: Int, in reader: inout BitReader) throws(NaluError) {
        let type = try reader.unsigned("slice_group_map_type", 0...6)
        switch type {
        case 0:
            for _ in 0..<count {
                _ = try reader.unsigned("run_length_minus1", BitReader.anyUnsigned)
            }
        case 2:
            for _ in 1..<count {
                _ = try reader.unsigned("top_left", BitReader.anyUnsigned)
                _ = try reader.unsigned("bottom_right", BitReader.anyUnsigned)
            }
        case 3...5:
            try reader.skip(1, "slice_group_change_direction_flag")
            _ = try reader.unsigned("slice_group_change_rate_minus1", BitReader.anyUnsigned)
        case 6:
            let mapUnits = 1 + (try reader.unsigned("pic_size_in_map_units_minus1", BitReader.anyUnsigned))
            let width = count > 4 ? 3 : count > 2 ? 2 : 1
            try reader.skip(mapUnits * width, "slice_group_id")
        default:
            break
        }
    }
}
