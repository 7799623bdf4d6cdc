/// The type of a NAL unit (ITU-T H.264 table 7-1), 0 to 31: the low five bits of its first byte.
public struct NALUnitType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A slice of a non-IDR picture. The corresponding C constant is `NALU_NAL_SLICE`.
    public static let slice = NALUnitType(rawValue: 1)
    /// Data partition A of a slice. Partitions B and C have the next two numbers.
    public static let sliceDataPartitionA = NALUnitType(rawValue: 2)
    /// A slice of an IDR picture. The corresponding C constant is `NALU_NAL_SLICE_IDR`.
    public static let sliceIDR = NALUnitType(rawValue: 5)
    /// Supplemental enhancement information. The corresponding C constant is `NALU_NAL_SEI`.
    public static let supplementalEnhancementInformation = NALUnitType(rawValue: 6)
    /// A sequence parameter set. The corresponding C constant is `NALU_NAL_SPS`.
    public static let sequenceParameterSet = NALUnitType(rawValue: 7)
    /// A picture parameter set. The corresponding C constant is `NALU_NAL_PPS`.
    public static let pictureParameterSet = NALUnitType(rawValue: 8)
    /// An access unit delimiter. The corresponding C constant is `NALU_NAL_ACCESS_UNIT_DELIMITER`.
    public static let accessUnitDelimiter = NALUnitType(rawValue: 9)
    /// The end of a sequence. The corresponding C constant is `NALU_NAL_END_OF_SEQUENCE`.
    public static let endOfSequence = NALUnitType(rawValue: 10)
    /// The end of the stream. The corresponding C constant is `NALU_NAL_END_OF_STREAM`.
    public static let endOfStream = NALUnitType(rawValue: 11)
    /// Filler data. The corresponding C constant is `NALU_NAL_FILLER`.
    public static let filler = NALUnitType(rawValue: 12)
    /// A sequence parameter set extension (auxiliary coded pictures).
    public static let sequenceParameterSetExtension = NALUnitType(rawValue: 13)
    /// A prefix NAL unit, which describes the slice after it (scalable and multi-view coding).
    public static let prefix = NALUnitType(rawValue: 14)
    /// A subset sequence parameter set (scalable and multi-view coding).
    public static let subsetSequenceParameterSet = NALUnitType(rawValue: 15)

    /// Whether the NAL unit contains coded picture data: a slice or a data partition.
    public var isSlice: Bool { (1...5).contains(rawValue) }

    /// Whether the NAL unit can only stand before the first slice of an access unit. After a slice it begins the next
    /// access unit (ITU-T H.264 7.4.1.2.3).
    public var standsBeforePicture: Bool { (6...9).contains(rawValue) || (15...18).contains(rawValue) }

    /// The place of the NAL unit in its access unit. A prefix NAL unit can precede each slice, and begins an access unit
    /// only before the first one.
    package var place: StreamUnitPlace {
        self == .prefix ? .beforeSlice : standsBeforePicture ? .beforePicture : .anywhere
    }
}
