extension SEIMessage {
    /// Returns the syntax elements of an H.265 message (ITU-T H.265 D.2), in order. Only these types have any:
    /// buffering period, picture timing, recovery point, active parameter sets, display orientation, mastering display,
    /// content light level and alternative transfer. The fields of decoding units are not listed. `sequence` works as
    /// in ``elements(sequence:)``.
    public func hevcElements(sequence: (_ id: Int?) -> HEVCSequenceParameterSet?) -> [SyntaxElement] {
        elements { (reader) throws(NaluError) in
            switch type {
            case .bufferingPeriod:
                let id = try reader.unsigned("bp_seq_parameter_set_id", 0...15)
                if let decoder = sequence(id)?.referenceDecoder {
                    try Self.readBufferingPeriod(in: &reader, decoder)
                }
            case .pictureTiming: try Self.readPictureTiming(in: &reader, sequence(nil))
            case .recoveryPoint:
                _ = try reader.signed("recovery_poc_cnt", -32768...32767)
                _ = try reader.flag("exact_match_flag")
                _ = try reader.flag("broken_link_flag")
            case .activeParameterSets: try Self.readActiveSets(in: &reader)
            case .displayOrientation:
                guard try !reader.flag("display_orientation_cancel_flag") else { return }
                _ = try reader.flag("hor_flip")
                _ = try reader.flag("ver_flip")
                _ = try reader.bits(16, "anticlockwise_rotation")
                _ = try reader.flag("display_orientation_persistence_flag")
            default: try Self.readLight(type, in: &reader)
            }
        }
    }

    private static func readBufferingPeriod(
        in reader: inout BitReader, _ decoder: HEVCReferenceDecoder
    ) throws(NaluError) {
        var hasAlternative = decoder.hasSubPictures
        if !decoder.hasSubPictures {
            hasAlternative = try reader.flag("irap_cpb_params_present_flag")
        }
        if hasAlternative, !decoder.hasSubPictures {
            _ = try reader.bits(decoder.removalDelayBits, "cpb_delay_offset")
            _ = try reader.bits(decoder.outputDelayBits, "dpb_delay_offset")
        }
        _ = try reader.flag("concatenation_flag")
        _ = try reader.bits(decoder.removalDelayBits, "au_cpb_removal_delay_delta_minus1")
        let bits = decoder.initialRemovalDelayBits
        let kinds: [(isPresent: Bool, delay: StaticString, offset: StaticString)] = [
            (decoder.hasNAL, "nal_initial_cpb_removal_delay", "nal_initial_cpb_removal_offset"),
            (decoder.hasVCL, "vcl_initial_cpb_removal_delay", "vcl_initial_cpb_removal_offset"),
        ]
        for kind in kinds where kind.isPresent {
            for _ in 0..<decoder.scheduleCount {
                _ = try reader.bits(bits, kind.delay)
                _ = try reader.bits(bits, kind.offset)
                guard hasAlternative else { continue }
                _ = try reader.bits(bits, "alt_initial_cpb_removal_delay")
                _ = try reader.bits(bits, "alt_initial_cpb_removal_offset")
            }
        }
    }

    private static func readPictureTiming(
        in reader: inout BitReader, _ set: HEVCSequenceParameterSet?
    ) throws(NaluError) {
        guard let set else { return }
        if set.hasPictureStructure {
            _ = try reader.bits(4, "pic_struct")
            _ = try reader.bits(2, "source_scan_type")
            _ = try reader.flag("duplicate_flag")
        }
        guard let decoder = set.referenceDecoder, decoder.hasNAL || decoder.hasVCL else { return }
        _ = try reader.bits(decoder.removalDelayBits, "au_cpb_removal_delay_minus1")
        _ = try reader.bits(decoder.outputDelayBits, "pic_dpb_output_delay")
    }

    private static func readActiveSets(in reader: inout BitReader) throws(NaluError) {
        _ = try reader.bits(4, "active_video_parameter_set_id")
        _ = try reader.flag("self_contained_cvs_flag")
        _ = try reader.flag("no_parameter_set_update_flag")
        for _ in 0...(try reader.unsigned("num_sps_ids_minus1", 0...15)) {
            _ = try reader.unsigned("active_seq_parameter_set_id", 0...15)
        }
    }
}
