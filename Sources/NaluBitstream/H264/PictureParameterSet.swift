/// The content of a picture parameter set (ITU-T H.264 7.3.2.2), as far as it can be read without the SPS.
public struct PictureParameterSet: Hashable, Sendable, ParsedUnit {
    /// `pic_parameter_set_id`, 0 to 255.
    public let id: Int
    /// The `seq_parameter_set_id` of the SPS that the PPS refers to, 0 to 31.
    public let sequenceParameterSetID: Int
    /// Whether slices are coded with CABAC, not CAVLC.
    public let usesCABAC: Bool
    /// The number of slice groups of a picture, 1 to 8.
    public let sliceGroupCount: Int
    /// `slice_group_change_rate_minus1` + 1 if slice groups change from slice to slice (`slice_group_map_type` 3 to 5),
    /// otherwise nil.
    private let sliceGroupChangeRate: Int?
    /// The QP that slices start from, -36 to 51: `26 + pic_init_qp_minus26`.
    public let initialQP: Int
    /// Whether slices contain their own deblocking parameters.
    public let hasDeblockingControl: Bool
    /// Whether slices of frames contain the difference between the picture order counts of their fields.
    public let hasBottomFieldOrder: Bool
    /// The default number of references in list 0, 1 to 32. A slice can override it.
    public let defaultReferenceCount0: Int
    /// The default number of references in list 1, 1 to 32. A slice can override it.
    public let defaultReferenceCount1: Int
    /// Whether P and SP slices are predicted with explicit weights.
    public let usesWeightedPrediction: Bool
    /// `weighted_bipred_idc`: 0 default, 1 explicit, 2 implicit weights in B slices.
    public let weightedBipredictionIDC: Int
    /// Whether intra macroblocks are predicted from intra macroblocks only.
    public let usesConstrainedIntraPrediction: Bool
    /// Whether slices contain `redundant_pic_cnt`.
    public let hasRedundantPictures: Bool
    /// Whether macroblocks may use the 8x8 transform; nil if the PPS does not contain the flag, which means no.
    public let allows8x8Transform: Bool?

    /// Reads one PPS NAL unit, with header byte and emulation prevention bytes, without start code.
    ///
    /// Throws `.badData` if the NAL unit is not a PPS, is cut off, or holds a value that the standard forbids.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        var reader = unsafe try BitReader(unit: unit, type: .pictureParameterSet, unitName: "PPS")
        try self.init(in: &reader)
    }

    private init(in reader: inout BitReader) throws(NaluError) {
        id = try reader.unsigned("pic_parameter_set_id", 0...255)
        sequenceParameterSetID = try reader.unsigned("seq_parameter_set_id", 0...31)
        usesCABAC = try reader.flag("entropy_coding_mode_flag")
        hasBottomFieldOrder = try reader.flag("bottom_field_pic_order_in_frame_present_flag")
        sliceGroupCount = 1 + (try reader.unsigned("num_slice_groups_minus1", 0...7))
        sliceGroupChangeRate = sliceGroupCount > 1 ? try Self.readSliceGroups(sliceGroupCount, in: &reader) : nil
        defaultReferenceCount0 = 1 + (try reader.unsigned("num_ref_idx_l0_default_active_minus1", 0...31))
        defaultReferenceCount1 = 1 + (try reader.unsigned("num_ref_idx_l1_default_active_minus1", 0...31))
        usesWeightedPrediction = try reader.flag("weighted_pred_flag")
        weightedBipredictionIDC = Int(try reader.bits(2, "weighted_bipred_idc"))
        guard weightedBipredictionIDC < 3 else {
            throw NaluError(.badData, "weighted_bipred_idc is 3; expected 0 to 2")
        }
        initialQP = 26 + (try reader.signed("pic_init_qp_minus26", -62...25))
        _ = try reader.signed("pic_init_qs_minus26", -26...25)
        _ = try reader.signed("chroma_qp_index_offset", -12...12)
        hasDeblockingControl = try reader.flag("deblocking_filter_control_present_flag")
        usesConstrainedIntraPrediction = try reader.flag("constrained_intra_pred_flag")
        hasRedundantPictures = try reader.flag("redundant_pic_cnt_present_flag")
        allows8x8Transform = reader.hasMoreData ? try reader.flag("transform_8x8_mode_flag") : nil
    }

    /// Returns every syntax element of a PPS NAL unit in order, and the error that ended the list early, if any.
    ///
    /// `chromaFormatIDC` is the chroma format of the SPS, which determines the number of scaling lists.
    public static func elements(
        of unit: UnsafeRawBufferPointer,
        chromaFormatIDC: Int
    ) -> (elements: [SyntaxElement], error: NaluError?) {
        do throws(NaluError) {
            var reader = unsafe try BitReader(unit: unit, type: .pictureParameterSet, unitName: "PPS")
            return reader.recorded { (reader) throws(NaluError) in
                let set = try PictureParameterSet(in: &reader)
                guard let allows8x8Transform = set.allows8x8Transform else { return }
                if try reader.flag("pic_scaling_matrix_present_flag") {
                    let lists = allows8x8Transform ? (chromaFormatIDC == 3 ? 6 : 2) : 0
                    try ScalingLists.skip(in: &reader, count: 6 + lists, flagName: "pic_scaling_list_present_flag")
                }
                _ = try reader.signed("second_chroma_qp_index_offset", -12...12)
            }
        } catch {
            return ([], error)
        }
    }

    /// Reads the slice groups. Returns `slice_group_change_rate_minus1` + 1 for the types 3 to 5, otherwise nil.
    private static func readSliceGroups(_ count: Int, in reader: inout BitReader) throws(NaluError) -> Int? {
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
            _ = try reader.flag("slice_group_change_direction_flag")
            return 1 + (try reader.unsigned("slice_group_change_rate_minus1", BitReader.anyUnsigned))
        case 6:
            let mapUnits = 1 + (try reader.unsigned("pic_size_in_map_units_minus1", BitReader.anyUnsigned))
            let width = count > 4 ? 3 : count > 2 ? 2 : 1
            for _ in 0..<mapUnits {
                _ = try reader.bits(width, "slice_group_id")
            }
        default:
            break
        }
        return nil
    }

    /// Returns the size in bits of `slice_group_change_cycle` (7.4.3); 0 if slice headers do not contain it.
    func sliceGroupCycleBits(_ sequence: SequenceParameterSet) -> Int {
        guard let rate = sliceGroupChangeRate else { return 0 }
        let rows = sequence.codedHeight / 16 / (sequence.frameMbsOnly ? 1 : 2)
        let cycles = (sequence.codedWidth / 16 * rows + rate - 1) / rate
        return Int.bitWidth - cycles.leadingZeroBitCount
    }
}
