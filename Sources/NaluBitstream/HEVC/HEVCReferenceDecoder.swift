/// The HRD parameters of an H.265 parameter set (ITU-T H.265 E.2.2) that the reading of SEI messages needs.
struct HEVCReferenceDecoder: Hashable, Sendable {
    private(set) var hasNAL = false
    private(set) var hasVCL = false
    /// Whether decoding units smaller than a picture have times.
    private(set) var hasSubPictures = false
    /// Bits of `nal_initial_cpb_removal_delay`, 1 to 32.
    private(set) var initialRemovalDelayBits = 24
    /// Bits of `au_cpb_removal_delay_minus1`, 1 to 32.
    private(set) var removalDelayBits = 24
    /// Bits of `pic_dpb_output_delay`, 1 to 32.
    private(set) var outputDelayBits = 24
    /// Delivery schedules of the highest sub-layer, 1 to 32.
    private(set) var scheduleCount = 1
    /// Whether pictures of the highest sub-layer follow each other at a fixed distance.
    private(set) var hasFixedFrameRate = false

    /// - Parameter common: the parameters before these, if their common part is not repeated; nil if it is present.
    init(in reader: inout BitReader, subLayers: Int, common: HEVCReferenceDecoder? = nil) throws(NaluError) {
        if let common {
            self = common
        } else {
            try readCommon(in: &reader)
        }
        for _ in 0..<subLayers { try readSubLayer(in: &reader) }
    }

    private mutating func readCommon(in reader: inout BitReader) throws(NaluError) {
        hasNAL = try reader.flag("nal_hrd_parameters_present_flag")
        hasVCL = try reader.flag("vcl_hrd_parameters_present_flag")
        guard hasNAL || hasVCL else { return }
        hasSubPictures = try reader.flag("sub_pic_hrd_params_present_flag")
        if hasSubPictures {
            _ = try reader.bits(8, "tick_divisor_minus2")
            _ = try reader.bits(5, "du_cpb_removal_delay_increment_length_minus1")
            _ = try reader.flag("sub_pic_cpb_params_in_pic_timing_sei_flag")
            _ = try reader.bits(5, "dpb_output_delay_du_length_minus1")
        }
        _ = try reader.bits(4, "bit_rate_scale")
        _ = try reader.bits(4, "cpb_size_scale")
        if hasSubPictures { _ = try reader.bits(4, "cpb_size_du_scale") }
        initialRemovalDelayBits = 1 + Int(try reader.bits(5, "initial_cpb_removal_delay_length_minus1"))
        removalDelayBits = 1 + Int(try reader.bits(5, "au_cpb_removal_delay_length_minus1"))
        outputDelayBits = 1 + Int(try reader.bits(5, "dpb_output_delay_length_minus1"))
    }

    private mutating func readSubLayer(in reader: inout BitReader) throws(NaluError) {
        let isFixed = try reader.flag("fixed_pic_rate_general_flag")
        hasFixedFrameRate = isFixed ? true : try reader.flag("fixed_pic_rate_within_cvs_flag")
        var isLowDelay = false
        if hasFixedFrameRate {
            _ = try reader.unsigned("elemental_duration_in_tc_minus1", 0...2047)
        } else {
            isLowDelay = try reader.flag("low_delay_hrd_flag")
        }
        scheduleCount = isLowDelay ? 1 : 1 + (try reader.unsigned("cpb_cnt_minus1", 0...31))
        for _ in 0..<scheduleCount * ((hasNAL ? 1 : 0) + (hasVCL ? 1 : 0)) {
            _ = try reader.unsigned("bit_rate_value_minus1", BitReader.anyUnsigned)
            _ = try reader.unsigned("cpb_size_value_minus1", BitReader.anyUnsigned)
            if hasSubPictures {
                _ = try reader.unsigned("cpb_size_du_value_minus1", BitReader.anyUnsigned)
                _ = try reader.unsigned("bit_rate_du_value_minus1", BitReader.anyUnsigned)
            }
            _ = try reader.flag("cbr_flag")
        }
    }
}
