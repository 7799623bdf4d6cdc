/// A slice header (ITU-T H.264 7.3.3) up to the quantiser.
public struct SliceHeader: Hashable, Sendable {
    /// The fields that can be read without the parameter sets.
    public let start: SliceStart
    /// The NAL unit's first byte.
    public let unitHeader: NALUnitHeader
    /// `frame_num`.
    public package(set) var frameNumber = 0
    /// Whether the slice belongs to a single field.
    public package(set) var isField = false
    /// Whether that field is the bottom field.
    public package(set) var isBottomField = false
    /// `idr_pic_id`, 0 to 65535; nil for other pictures.
    public package(set) var idrPictureID: Int?
    /// `pic_order_cnt_lsb`; 0 unless picture order count type is 0.
    public package(set) var picOrderCountLSB = 0
    /// `delta_pic_order_cnt_bottom`.
    public package(set) var picOrderCountDeltaBottom = 0
    /// `delta_pic_order_cnt[0]`.
    public package(set) var picOrderCountDelta0 = 0
    /// `delta_pic_order_cnt[1]`.
    public package(set) var picOrderCountDelta1 = 0
    /// `redundant_pic_cnt`, 0 for the primary coded picture.
    public package(set) var redundantPictureCount = 0
    /// Whether the picture empties the reference memory and restarts the order (memory management operation 5).
    public package(set) var resetsReferences = false
    /// The quantiser that the slice starts from: `26 + pic_init_qp_minus26 + slice_qp_delta`.
    public package(set) var qp = 0

    /// Reads the header of a slice or data partition A: the NAL unit's header byte first, no start code, emulation
    /// prevention bytes in place. `unit` may be its first bytes only; 4096 are enough.
    ///
    /// The parameter sets are those that ``SliceStart`` asks for. Throws `.badData` when the unit is no such slice, is
    /// cut off, or holds a value that the standard forbids.
    public init(
        parsing unit: UnsafeRawBufferPointer,
        pictureParameterSet: PictureParameterSet,
        sequenceParameterSet: SequenceParameterSet
    ) throws(NaluError) {
        var reader = unsafe try BitReader(sliceHeaderOf: unit)
        try self.init(
            SliceStart(in: &reader), in: &reader, pictureParameterSet: pictureParameterSet,
            sequenceParameterSet: sequenceParameterSet)
    }

    /// The rest of the header.
    init(
        _ start: SliceStart, in reader: inout BitReader, pictureParameterSet: PictureParameterSet,
        sequenceParameterSet: SequenceParameterSet
    ) throws(NaluError) {
        unitHeader = NALUnitHeader(rawValue: reader.bytes[0])
        self.start = start
        try readPicture(in: &reader, pictureParameterSet, sequenceParameterSet)
        let counts = try readReferenceCounts(in: &reader, pictureParameterSet)
        let isPredicted = start.type == .p || start.type == .sp
        let weighs =
            isPredicted
            ? pictureParameterSet.usesWeightedPrediction
            : start.type == .b && pictureParameterSet.weightedBipredictionIDC == 1
        if weighs {
            try Self.skipWeights(counts, hasChroma: sequenceParameterSet.chromaArrayType != 0, in: &reader)
        }
        if unitHeader.isReference {
            try readReferenceMarking(in: &reader)
        }
        if pictureParameterSet.usesCABAC, !start.type.isIntra {
            _ = try reader.unsigned("cabac_init_idc", 0...2)
        }
        qp = pictureParameterSet.initialQP + (try reader.signed("slice_qp_delta", -87...87))
    }

    /// Reads the header of a slice. Throws as
    /// ``init(parsing:pictureParameterSet:sequenceParameterSet:)-(UnsafeRawBufferPointer,_,_)`` does.
    public init(
        parsing unit: [UInt8],
        pictureParameterSet: PictureParameterSet,
        sequenceParameterSet: SequenceParameterSet
    ) throws(NaluError) {
        self = unsafe try unit.withBytes { (bytes) throws(NaluError) in
            unsafe try SliceHeader(
                parsing: bytes, pictureParameterSet: pictureParameterSet, sequenceParameterSet: sequenceParameterSet)
        }
    }

    /// Whether the slice belongs to an IDR picture.
    public var isIDR: Bool { unitHeader.type == .sliceIDR }
}

// MARK: - Which picture

extension SliceHeader {
    private mutating func readPicture(
        in reader: inout BitReader, _ picture: PictureParameterSet, _ sequence: SequenceParameterSet
    ) throws(NaluError) {
        if sequence.separateColourPlanes {
            _ = try reader.bits(2, "colour_plane_id")
        }
        frameNumber = Int(try reader.bits(sequence.frameNumberBits, "frame_num"))
        if !sequence.frameMbsOnly {
            isField = try reader.flag("field_pic_flag")
            isBottomField = isField ? try reader.flag("bottom_field_flag") : false
        }
        if isIDR {
            idrPictureID = try reader.unsigned("idr_pic_id", 0...65535)
        }
        if sequence.picOrderCountType == 0 {
            picOrderCountLSB = Int(try reader.bits(sequence.picOrderCountBits, "pic_order_cnt_lsb"))
            if picture.hasBottomFieldOrder, !isField {
                picOrderCountDeltaBottom = try reader.signed("delta_pic_order_cnt_bottom", BitReader.anySigned)
            }
        } else if let cycle = sequence.picOrderCycle, !cycle.deltaAlwaysZero {
            picOrderCountDelta0 = try reader.signed("delta_pic_order_cnt[0]", BitReader.anySigned)
            if picture.hasBottomFieldOrder, !isField {
                picOrderCountDelta1 = try reader.signed("delta_pic_order_cnt[1]", BitReader.anySigned)
            }
        }
        if picture.hasRedundantPictures {
            redundantPictureCount = try reader.unsigned("redundant_pic_cnt", 0...127)
        }
    }
}

// MARK: - References

extension SliceHeader {
    /// How many references the slice uses from each list.
    private func readReferenceCounts(
        in reader: inout BitReader, _ picture: PictureParameterSet
    ) throws(NaluError) -> (list0: Int, list1: Int) {
        guard !start.type.isIntra else { return (0, 0) }
        let isB = start.type == .b
        if isB {
            _ = try reader.flag("direct_spatial_mv_pred_flag")
        }
        var counts = (list0: picture.defaultReferenceCount0, list1: isB ? picture.defaultReferenceCount1 : 0)
        if try reader.flag("num_ref_idx_active_override_flag") {
            counts.list0 = 1 + (try reader.unsigned("num_ref_idx_l0_active_minus1", 0...31))
            if isB {
                counts.list1 = 1 + (try reader.unsigned("num_ref_idx_l1_active_minus1", 0...31))
            }
        }
        for _ in 0..<(isB ? 2 : 1) where try reader.flag("ref_pic_list_modification_flag") {
            while try reader.unsigned("modification_of_pic_nums_idc", 0...3) != 3 {
                _ = try reader.unsigned("abs_diff_pic_num_minus1 or long_term_pic_num", BitReader.anyUnsigned)
            }
        }
        return counts
    }

    private static func skipWeights(
        _ counts: (list0: Int, list1: Int), hasChroma: Bool, in reader: inout BitReader
    ) throws(NaluError) {
        _ = try reader.unsigned("luma_log2_weight_denom", 0...7)
        if hasChroma {
            _ = try reader.unsigned("chroma_log2_weight_denom", 0...7)
        }
        for _ in 0..<(counts.list0 + counts.list1) {
            if try reader.flag("luma_weight_flag") {
                _ = try reader.signed("luma_weight", -128...127)
                _ = try reader.signed("luma_offset", -128...127)
            }
            if hasChroma, try reader.flag("chroma_weight_flag") {
                for _ in 0..<2 {
                    _ = try reader.signed("chroma_weight", -128...127)
                    _ = try reader.signed("chroma_offset", -128...127)
                }
            }
        }
    }

    private mutating func readReferenceMarking(in reader: inout BitReader) throws(NaluError) {
        guard !isIDR else {
            _ = try reader.flag("no_output_of_prior_pics_flag")
            _ = try reader.flag("long_term_reference_flag")
            return
        }
        guard try reader.flag("adaptive_ref_pic_marking_mode_flag") else { return }
        while true {
            let operation = try reader.unsigned("memory_management_control_operation", 0...6)
            if operation == 0 { return }
            if operation == 5 { resetsReferences = true }
            if operation == 1 || operation == 3 {
                _ = try reader.unsigned("difference_of_pic_nums_minus1", BitReader.anyUnsigned)
            }
            if operation != 1, operation != 5 {
                _ = try reader.unsigned("long_term_pic_num, _frame_idx or its maximum", BitReader.anyUnsigned)
            }
        }
    }
}
