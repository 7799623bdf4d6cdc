extension SEIMessage {
    /// Returns the syntax elements of the payload, in order. Only these types have any: buffering period, picture
    /// timing, recovery point, display orientation, mastering display, content light level and alternative transfer.
    /// The list is empty for other types, and if the payload is cut off.
    ///
    /// `sequence` returns the SPS with the id that a buffering period names; for nil it returns the active SPS.
    public func elements(sequence: (_ id: Int?) -> SequenceParameterSet?) -> [SyntaxElement] {
        elements { (reader) throws(NaluError) in
            switch type {
            case .bufferingPeriod: try Self.readBufferingPeriod(in: &reader, sequence)
            case .pictureTiming: try Self.readPictureTiming(in: &reader, sequence(nil))
            case .recoveryPoint: try Self.readRecoveryPoint(in: &reader)
            case .displayOrientation: try Self.readOrientation(in: &reader)
            default: try Self.readLight(type, in: &reader)
            }
        }
    }

    /// Whether the message applies to later pictures too, up to the next IDR picture or message of its type: frame
    /// packing and display orientation with a repetition period, and their cancellation (ITU-T H.264 D.2.26, D.2.27).
    package var persists: Bool {
        let found: [SyntaxElement]
        switch type {
        case .framePacking: found = elements { (reader) throws(NaluError) in try Self.readFramePacking(in: &reader) }
        case .displayOrientation:
            found = elements { (reader) throws(NaluError) in try Self.readOrientation(in: &reader) }
        default: return false
        }
        let period = found.first { $0.name.hasSuffix("_repetition_period") }
        return period.map { $0.value > 0 } ?? !found.isEmpty
    }

    /// Returns the elements that `read` reads from the payload; empty if the payload is cut off.
    func elements(_ read: (inout BitReader) throws(NaluError) -> Void) -> [SyntaxElement] {
        var reader = BitReader(payload: payload, unitName: "SEI message")
        let (elements, error) = reader.recorded(read)
        return error == nil ? elements : []
    }

    /// Reads the messages about light and colour, which H.264 and H.265 share.
    static func readLight(_ type: SEIPayloadType, in reader: inout BitReader) throws(NaluError) {
        switch type {
        case .masteringDisplay: try readMasteringDisplay(in: &reader)
        case .contentLightLevel:
            _ = try reader.bits(16, "max_content_light_level")
            _ = try reader.bits(16, "max_pic_average_light_level")
        case .alternativeTransfer: _ = try reader.bits(8, "preferred_transfer_characteristics")
        default: break
        }
    }

    /// The UUID of unregistered user data as lowercase text with hyphens; nil for other types.
    public var userDataUUID: String? {
        guard type == .unregisteredUserData, payload.count >= 16 else { return nil }
        var text = ""
        for (index, byte) in payload.prefix(16).enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
        return text
    }

    /// The text of unregistered user data after the UUID, for example x264's settings. Nil if the bytes are not
    /// printable ASCII with any number of zeros at the end.
    public var userDataText: String? {
        guard type == .unregisteredUserData, payload.count > 16 else { return nil }
        var text = payload.dropFirst(16)
        while text.last == 0 { text.removeLast() }
        guard !text.isEmpty, text.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x09 }) else {
            return nil
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func readBufferingPeriod(
        in reader: inout BitReader, _ sequence: (Int?) -> SequenceParameterSet?
    ) throws(NaluError) {
        let id = try reader.unsigned("seq_parameter_set_id", 0...31)
        guard let set = sequence(id) else { return }
        for hrd in [set.nalHRD, set.vclHRD].compactMap({ $0 }) {
            for _ in hrd.schedules {
                _ = try reader.bits(hrd.initialRemovalDelayBits, "initial_cpb_removal_delay")
                _ = try reader.bits(hrd.initialRemovalDelayBits, "initial_cpb_removal_delay_offset")
            }
        }
    }

    private static func readPictureTiming(
        in reader: inout BitReader, _ set: SequenceParameterSet?
    ) throws(NaluError) {
        guard let set else { return }
        if let hrd = set.nalHRD ?? set.vclHRD {
            _ = try reader.bits(hrd.removalDelayBits, "cpb_removal_delay")
            _ = try reader.bits(hrd.outputDelayBits, "dpb_output_delay")
        }
        guard set.hasPictureStructure else { return }
        let structure = Int(try reader.bits(4, "pic_struct"))
        // NumClockTS of table D-1.
        let count = structure < 9 ? [1, 1, 1, 2, 2, 3, 3, 2, 3][structure] : 0
        for _ in 0..<count where try reader.flag("clock_timestamp_flag") {
            try readClock(in: &reader, offsetBits: (set.nalHRD ?? set.vclHRD)?.timeOffsetBits ?? 24)
        }
    }

    private static func readClock(in reader: inout BitReader, offsetBits: Int) throws(NaluError) {
        _ = try reader.bits(2, "ct_type")
        _ = try reader.flag("nuit_field_based_flag")
        _ = try reader.bits(5, "counting_type")
        let isFull = try reader.flag("full_timestamp_flag")
        _ = try reader.flag("discontinuity_flag")
        _ = try reader.flag("cnt_dropped_flag")
        _ = try reader.bits(8, "n_frames")
        // Each of the three values is present only if the value before it is.
        if isFull ? true : try reader.flag("seconds_flag") {
            _ = try reader.bits(6, "seconds_value")
            if isFull ? true : try reader.flag("minutes_flag") {
                _ = try reader.bits(6, "minutes_value")
                if isFull ? true : try reader.flag("hours_flag") {
                    _ = try reader.bits(5, "hours_value")
                }
            }
        }
        if offsetBits > 0 {
            try reader.signedBits(offsetBits, "time_offset")
        }
    }

    private static func readOrientation(in reader: inout BitReader) throws(NaluError) {
        guard try !reader.flag("display_orientation_cancel_flag") else { return }
        _ = try reader.flag("hor_flip")
        _ = try reader.flag("ver_flip")
        _ = try reader.bits(16, "anticlockwise_rotation")
        _ = try reader.unsigned("display_orientation_repetition_period", 0...16384)
        _ = try reader.flag("display_orientation_extension_flag")
    }

    private static func readFramePacking(in reader: inout BitReader) throws(NaluError) {
        _ = try reader.unsigned("frame_packing_arrangement_id", BitReader.anyUnsigned)
        guard try !reader.flag("frame_packing_arrangement_cancel_flag") else { return }
        let type = try reader.bits(7, "frame_packing_arrangement_type")
        let isQuincunx = try reader.flag("quincunx_sampling_flag")
        _ = try reader.bits(6, "content_interpretation_type")
        _ = try reader.flag("spatial_flipping_flag")
        _ = try reader.flag("frame0_flipped_flag")
        _ = try reader.flag("field_views_flag")
        _ = try reader.flag("current_frame_is_frame0_flag")
        _ = try reader.flag("frame0_self_contained_flag")
        _ = try reader.flag("frame1_self_contained_flag")
        // Type 5: the frames of the two views alternate.
        if !isQuincunx && type != 5 {
            for name: StaticString in [
                "frame0_grid_position_x", "frame0_grid_position_y", "frame1_grid_position_x", "frame1_grid_position_y",
            ] {
                _ = try reader.bits(4, name)
            }
        }
        _ = try reader.bits(8, "frame_packing_arrangement_reserved_byte")
        _ = try reader.unsigned("frame_packing_arrangement_repetition_period", 0...16384)
    }

    private static func readRecoveryPoint(in reader: inout BitReader) throws(NaluError) {
        _ = try reader.unsigned("recovery_frame_cnt", BitReader.anyUnsigned)
        _ = try reader.flag("exact_match_flag")
        _ = try reader.flag("broken_link_flag")
        _ = try reader.bits(2, "changing_slice_group_idc")
    }

    private static func readMasteringDisplay(in reader: inout BitReader) throws(NaluError) {
        for _ in 0..<3 {
            _ = try reader.bits(16, "display_primaries_x")
            _ = try reader.bits(16, "display_primaries_y")
        }
        _ = try reader.bits(16, "white_point_x")
        _ = try reader.bits(16, "white_point_y")
        _ = try reader.bits(32, "max_display_mastering_luminance")
        _ = try reader.bits(32, "min_display_mastering_luminance")
    }
}
