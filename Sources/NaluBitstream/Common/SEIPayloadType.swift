/// The kind of an SEI message (ITU-T H.264 D.1).
public struct SEIPayloadType: RawRepresentable, Hashable, Sendable {
    /// `payloadType`, from 0.
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The initial delays of the coded picture buffer.
    public static let bufferingPeriod = SEIPayloadType(rawValue: 0)
    /// The decode and display times of a picture, and the arrangement of its fields.
    public static let pictureTiming = SEIPayloadType(rawValue: 1)
    /// Data of a registered kind (ITU-T T.35), such as captions.
    public static let registeredUserData = SEIPayloadType(rawValue: 4)
    /// Data after a UUID, such as an encoder's name and settings.
    public static let unregisteredUserData = SEIPayloadType(rawValue: 5)
    /// The picture from which on the output is correct if decoding starts here.
    public static let recoveryPoint = SEIPayloadType(rawValue: 6)
    /// The arrangement of the two views of a stereoscopic picture in one frame.
    public static let framePacking = SEIPayloadType(rawValue: 45)
    /// The rotation and flip of the picture for display.
    public static let displayOrientation = SEIPayloadType(rawValue: 47)
    /// The active parameter sets (H.265).
    public static let activeParameterSets = SEIPayloadType(rawValue: 129)
    /// The colours and brightness of the display that the video was mastered on.
    public static let masteringDisplay = SEIPayloadType(rawValue: 137)
    /// The highest light level of any pixel, and the highest average of any frame.
    public static let contentLightLevel = SEIPayloadType(rawValue: 144)
    /// A transfer characteristic that is preferred to that of the SPS.
    public static let alternativeTransfer = SEIPayloadType(rawValue: 147)

    /// The name in Annex D, with underscores as in the syntax tables, or "reserved" for a number without a name. The
    /// numbers 128 to 136 are for H.265 only.
    public var name: String {
        Self.names[rawValue] ?? "reserved"
    }

    private static let names: [Int: String] = [
        0: "buffering_period", 1: "pic_timing", 2: "pan_scan_rect", 3: "filler_payload",
        4: "user_data_registered_itu_t_t35", 5: "user_data_unregistered", 6: "recovery_point",
        7: "dec_ref_pic_marking_repetition", 8: "spare_pic", 9: "scene_info", 10: "sub_seq_info",
        11: "sub_seq_layer_characteristics", 12: "sub_seq_characteristics", 13: "full_frame_freeze",
        14: "full_frame_freeze_release", 15: "full_frame_snapshot", 16: "progressive_refinement_segment_start",
        17: "progressive_refinement_segment_end", 18: "motion_constrained_slice_group_set",
        19: "film_grain_characteristics", 20: "deblocking_filter_display_preference", 21: "stereo_video_info",
        22: "post_filter_hint", 23: "tone_mapping_info", 45: "frame_packing_arrangement", 47: "display_orientation",
        56: "green_metadata", 128: "structure_of_pictures_info", 129: "active_parameter_sets",
        130: "decoding_unit_info", 131: "temporal_sub_layer_zero_idx", 132: "decoded_picture_hash",
        133: "scalable_nesting", 134: "region_refresh_info", 135: "no_display", 136: "time_code",
        137: "mastering_display_colour_volume", 142: "colour_remapping_info",
        144: "content_light_level_info", 147: "alternative_transfer_characteristics",
        148: "ambient_viewing_environment", 150: "equirectangular_projection", 151: "cubemap_projection",
        154: "sphere_rotation", 155: "regionwise_packing", 156: "omni_viewport", 200: "sei_manifest",
        201: "sei_prefix_indication",
    ]
}
