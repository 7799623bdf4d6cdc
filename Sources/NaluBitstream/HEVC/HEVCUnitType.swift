/// What an H.265 NAL unit holds (ITU-T H.265 table 7-1): 0 to 63, bits 1 to 6 of its first byte.
public struct HEVCUnitType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A slice segment of a trailing picture that none of its sub-layer refers to. C: `NALU_HEVC_NAL_TRAIL_N`.
    public static let trailingNonReference = HEVCUnitType(rawValue: 0)
    /// A slice segment of another trailing picture. C: `NALU_HEVC_NAL_TRAIL_R`.
    public static let trailing = HEVCUnitType(rawValue: 1)
    /// A leading picture that can be decoded without what precedes its IRAP picture. C: `NALU_HEVC_NAL_RADL_N`.
    public static let decodableLeadingNonReference = HEVCUnitType(rawValue: 6)
    /// C: `NALU_HEVC_NAL_RADL_R`.
    public static let decodableLeading = HEVCUnitType(rawValue: 7)
    /// A leading picture that refers to what precedes its IRAP picture. C: `NALU_HEVC_NAL_RASL_N`.
    public static let skippedLeadingNonReference = HEVCUnitType(rawValue: 8)
    /// C: `NALU_HEVC_NAL_RASL_R`.
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
    /// C: `NALU_HEVC_NAL_ACCESS_UNIT_DELIMITER`.
    public static let accessUnitDelimiter = HEVCUnitType(rawValue: 35)
    /// C: `NALU_HEVC_NAL_END_OF_SEQUENCE`.
    public static let endOfSequence = HEVCUnitType(rawValue: 36)
    /// C: `NALU_HEVC_NAL_END_OF_BITSTREAM`.
    public static let endOfBitstream = HEVCUnitType(rawValue: 37)
    /// C: `NALU_HEVC_NAL_FILLER`.
    public static let filler = HEVCUnitType(rawValue: 38)
    /// Supplemental enhancement information before the picture's slices. C: `NALU_HEVC_NAL_PREFIX_SEI`.
    public static let prefixSEI = HEVCUnitType(rawValue: 39)
    /// Supplemental enhancement information after the picture's first slice. C: `NALU_HEVC_NAL_SUFFIX_SEI`.
    public static let suffixSEI = HEVCUnitType(rawValue: 40)

    /// Whether the unit is a slice segment; the types that are reserved for slices are none that can be read.
    public var isSlice: Bool { rawValue <= 9 || (16...21).contains(rawValue) }

    /// Whether the picture is intra coded and decoding can start there: BLA, IDR, CRA, and two reserved numbers (7.4.2.2).
    public var isRandomAccess: Bool { (16...23).contains(rawValue) }

    package var isParameterSet: Bool { (32...34).contains(rawValue) }

    public var isIDR: Bool { self == .idrWithLeading || self == .idr }

    public var isBrokenLink: Bool { (16...18).contains(rawValue) }

    /// IDR and BLA pictures that no leading picture follows.
    var hasNoLeading: Bool { self == .idr || rawValue == 18 }

    /// A leading picture that refers to what precedes its IRAP picture, or may (RASL).
    public var isSkippedLeading: Bool { self == .skippedLeadingNonReference || self == .skippedLeading }

    /// A leading picture that refers to nothing before its IRAP picture (RADL).
    public var isDecodableLeading: Bool { self == .decodableLeadingNonReference || self == .decodableLeading }

    /// Whether no picture of the same sub-layer refers to the picture: the even numbers below 16 (7.4.2.2).
    public var isSubLayerNonReference: Bool { rawValue < 16 && rawValue & 1 == 0 }

    /// Whether the unit can only stand before the first slice of an access unit, so that one after a slice begins the
    /// next access unit (ITU-T H.265 7.4.2.4.4).
    public var standsBeforePicture: Bool {
        (32...35).contains(rawValue) || rawValue == 39 || (41...44).contains(rawValue) || (48...55).contains(rawValue)
    }
}
