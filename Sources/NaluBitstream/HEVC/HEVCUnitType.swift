/// The type of an H.265 NAL unit (ITU-T H.265 table 7-1), 0 to 63: bits 1 to 6 of its first byte.
public struct HEVCUnitType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A slice segment of a trailing picture that no picture of its sub-layer refers to. C: `NALU_HEVC_NAL_TRAIL_N`.
    public static let trailingNonReference = HEVCUnitType(rawValue: 0)
    /// A slice segment of any other trailing picture. C: `NALU_HEVC_NAL_TRAIL_R`.
    public static let trailing = HEVCUnitType(rawValue: 1)
    /// A non-reference leading picture that can be decoded without the pictures before its IRAP picture. C:
    /// `NALU_HEVC_NAL_RADL_N`.
    public static let decodableLeadingNonReference = HEVCUnitType(rawValue: 6)
    /// A leading picture that can be decoded without the pictures before its IRAP picture. C: `NALU_HEVC_NAL_RADL_R`.
    public static let decodableLeading = HEVCUnitType(rawValue: 7)
    /// A non-reference leading picture that refers to pictures before its IRAP picture. C: `NALU_HEVC_NAL_RASL_N`.
    public static let skippedLeadingNonReference = HEVCUnitType(rawValue: 8)
    /// A leading picture that refers to pictures before its IRAP picture. C: `NALU_HEVC_NAL_RASL_R`.
    public static let skippedLeading = HEVCUnitType(rawValue: 9)
    /// Broken link access, with leading pictures of both kinds. C: `NALU_HEVC_NAL_BLA_W_LP`.
    public static let brokenLink = HEVCUnitType(rawValue: 16)
    /// Instantaneous decoding refresh, with decodable leading pictures. C: `NALU_HEVC_NAL_IDR_W_RADL`.
    public static let idrWithLeading = HEVCUnitType(rawValue: 19)
    /// Instantaneous decoding refresh without leading pictures. C: `NALU_HEVC_NAL_IDR_N_LP`.
    public static let idr = HEVCUnitType(rawValue: 20)
    /// Clean random access. C: `NALU_HEVC_NAL_CRA`.
    public static let cleanRandomAccess = HEVCUnitType(rawValue: 21)
    /// A video parameter set. C: `NALU_HEVC_NAL_VPS`.
    public static let videoParameterSet = HEVCUnitType(rawValue: 32)
    /// A sequence parameter set. C: `NALU_HEVC_NAL_SPS`.
    public static let sequenceParameterSet = HEVCUnitType(rawValue: 33)
    /// A picture parameter set. C: `NALU_HEVC_NAL_PPS`.
    public static let pictureParameterSet = HEVCUnitType(rawValue: 34)
    /// An access unit delimiter. C: `NALU_HEVC_NAL_ACCESS_UNIT_DELIMITER`.
    public static let accessUnitDelimiter = HEVCUnitType(rawValue: 35)
    /// The end of a sequence. C: `NALU_HEVC_NAL_END_OF_SEQUENCE`.
    public static let endOfSequence = HEVCUnitType(rawValue: 36)
    /// The end of the bitstream. C: `NALU_HEVC_NAL_END_OF_BITSTREAM`.
    public static let endOfBitstream = HEVCUnitType(rawValue: 37)
    /// Filler data. C: `NALU_HEVC_NAL_FILLER`.
    public static let filler = HEVCUnitType(rawValue: 38)
    /// Supplemental enhancement information before the picture's slices. C: `NALU_HEVC_NAL_PREFIX_SEI`.
    public static let prefixSEI = HEVCUnitType(rawValue: 39)
    /// Supplemental enhancement information after the picture's first slice. C: `NALU_HEVC_NAL_SUFFIX_SEI`.
    public static let suffixSEI = HEVCUnitType(rawValue: 40)

    /// Whether the NAL unit is a slice segment. Types that are reserved for slices are excluded, as they cannot be
    /// read.
    public var isSlice: Bool { rawValue <= 9 || (16...21).contains(rawValue) }

    /// Whether the picture is intra coded and decoding can start with it: BLA, IDR, CRA, and two reserved types
    /// (7.4.2.2).
    public var isRandomAccess: Bool { (16...23).contains(rawValue) }

    package var isParameterSet: Bool { (32...34).contains(rawValue) }

    public var isIDR: Bool { self == .idrWithLeading || self == .idr }

    public var isBrokenLink: Bool { (16...18).contains(rawValue) }

    /// Whether the picture is an IDR or BLA picture without leading pictures.
    var hasNoLeading: Bool { self == .idr || rawValue == 18 }

    /// Whether the picture is a leading picture that can refer to pictures before its IRAP picture (RASL).
    public var isSkippedLeading: Bool { self == .skippedLeadingNonReference || self == .skippedLeading }

    /// Whether the picture is a leading picture that refers to nothing before its IRAP picture (RADL).
    public var isDecodableLeading: Bool { self == .decodableLeadingNonReference || self == .decodableLeading }

    /// Whether no picture of the same sub-layer refers to the picture: the even types below 16 (7.4.2.2).
    public var isSubLayerNonReference: Bool { rawValue < 16 && rawValue & 1 == 0 }

    /// Whether the NAL unit can only stand before the first slice of an access unit. After a slice it begins the next
    /// access unit (ITU-T H.265 7.4.2.4.4).
    public var standsBeforePicture: Bool {
        (32...35).contains(rawValue) || (41...44).contains(rawValue) || (48...55).contains(rawValue)
    }

    /// The place of the NAL unit in its access unit. Prefix SEI can precede each slice, as decoding unit information does,
    /// and begins an access unit only before the first one.
    package var place: StreamUnitPlace {
        self == .prefixSEI ? .beforeSlice : standsBeforePicture ? .beforePicture : .anywhere
    }
}
