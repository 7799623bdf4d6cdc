/// The content of an H.265 video parameter set (ITU-T H.265 7.3.2.1), as far as it concerns the base layer.
public struct HEVCVideoParameterSet: Hashable, Sendable, ParsedUnit {
    /// `vps_video_parameter_set_id`, 0 to 15.
    public let id: Int
    /// Temporal sub-layers, 1 to 7.
    public let subLayerCount: Int
    public let isTemporalIDNested: Bool
    public let profileTierLevel: HEVCProfileTierLevel
    /// `vps_time_scale`. The picture rate is `timeScale / unitsInTick`. Both numbers are 0 if unspecified.
    public let timeScale: UInt32
    /// `vps_num_units_in_tick`; see ``timeScale``.
    public let unitsInTick: UInt32
    private let hasTiming: Bool

    /// Reads one VPS NAL unit, with header and emulation prevention bytes, without start code.
    ///
    /// Throws `.badData` if the NAL unit is not a VPS of layer 0, is cut off, or holds a value that the standard
    /// forbids.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        var reader = unsafe try BitReader(hevcUnit: unit, type: .videoParameterSet, unitName: "VPS")
        try self.init(in: &reader)
    }

    private init(in reader: inout BitReader) throws(NaluError) {
        id = Int(try reader.bits(4, "vps_video_parameter_set_id"))
        _ = try reader.flag("vps_base_layer_internal_flag")
        _ = try reader.flag("vps_base_layer_available_flag")
        _ = try reader.bits(6, "vps_max_layers_minus1")
        subLayerCount = 1 + Int(try reader.bits(3, "vps_max_sub_layers_minus1"))
        guard subLayerCount <= 7 else {
            throw NaluError(.badData, "vps_max_sub_layers_minus1 is 7; expected 0 to 6")
        }
        isTemporalIDNested = try reader.flag("vps_temporal_id_nesting_flag")
        _ = try reader.bits(16, "vps_reserved_0xffff_16bits")
        profileTierLevel = try HEVCProfileTierLevel(in: &reader, subLayers: subLayerCount)
        let saysAll = try reader.flag("vps_sub_layer_ordering_info_present_flag")
        for _ in 0..<(saysAll ? subLayerCount : 1) {
            _ = try reader.unsigned("vps_max_dec_pic_buffering_minus1", BitReader.anyUnsigned)
            _ = try reader.unsigned("vps_max_num_reorder_pics", BitReader.anyUnsigned)
            _ = try reader.unsigned("vps_max_latency_increase_plus1", BitReader.anyUnsigned)
        }
        let layers = 1 + Int(try reader.bits(6, "vps_max_layer_id"))
        let layerSets = try reader.unsigned("vps_num_layer_sets_minus1", 0...1023)
        for _ in 0..<layers * layerSets { _ = try reader.flag("layer_id_included_flag") }
        hasTiming = try reader.flag("vps_timing_info_present_flag")
        guard hasTiming else {
            (timeScale, unitsInTick) = (0, 0)
            return
        }
        let units = try reader.bits(32, "vps_num_units_in_tick")
        let scale = try reader.bits(32, "vps_time_scale")
        (timeScale, unitsInTick) = units == 0 || scale == 0 ? (0, 0) : (scale, units)
    }

    /// Returns every syntax element of a VPS NAL unit in order, and the error that ended the list early, if any. The
    /// profiles of sub-layers and extensions are not listed.
    public static func elements(of unit: [UInt8]) -> (elements: [SyntaxElement], error: NaluError?) {
        BitReader.elements(of: unit, type: .videoParameterSet, unitName: "VPS") { (reader) throws(NaluError) in
            let set = try HEVCVideoParameterSet(in: &reader)
            if set.hasTiming { try set.readReferenceDecoders(in: &reader) }
            _ = try reader.flag("vps_extension_flag")
        }
    }

    private func readReferenceDecoders(in reader: inout BitReader) throws(NaluError) {
        if try reader.flag("vps_poc_proportional_to_timing_flag") {
            _ = try reader.unsigned("vps_num_ticks_poc_diff_one_minus1", BitReader.anyUnsigned)
        }
        var last: HEVCReferenceDecoder?
        for index in 0..<(try reader.unsigned("vps_num_hrd_parameters", 0...1024)) {
            _ = try reader.unsigned("hrd_layer_set_idx", 0...1023)
            let saysCommon = index == 0 ? true : try reader.flag("cprms_present_flag")
            last = try HEVCReferenceDecoder(in: &reader, subLayers: subLayerCount, common: saysCommon ? nil : last)
        }
    }
}
