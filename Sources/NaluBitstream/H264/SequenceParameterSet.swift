/// The content of a sequence parameter set (ITU-T H.264 7.3.2.1.1 and Annex E). The corresponding C type is
/// `nalu_sequence_info`.
public struct SequenceParameterSet: Hashable, Sendable {
    // MARK: Profile and level

    /// `seq_parameter_set_id`, 0 to 31.
    public package(set) var id = 0
    /// `profile_idc`: 66 Baseline, 77 Main, 100 High, 110 High 10, and so on (Annex A).
    public package(set) var profileIDC = 0
    /// The byte after `profile_idc`: constraint_set0_flag is 0x80.
    public package(set) var constraintFlags = 0
    /// Ten times the level: 31 is level 3.1; 9 is level 1b, however the profile spells it.
    public package(set) var levelIDC = 0

    // MARK: Samples

    /// `chroma_format_idc`: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public package(set) var chromaFormatIDC = 1
    /// Whether the three planes of 4:4:4 are coded as three monochrome pictures.
    public package(set) var separateColourPlanes = false
    /// Bits per luma sample, 8 to 14.
    public package(set) var lumaBitDepth = 8
    /// Bits per chroma sample, 8 to 14.
    public package(set) var chromaBitDepth = 8
    /// `qpprime_y_zero_transform_bypass_flag`: whether macroblocks of QP 0 are lossless, without a transform.
    package var isLosslessAtZero = false

    // MARK: Size

    /// The width before cropping in pixels, a multiple of 16, at most ``maximumDimension``.
    public package(set) var codedWidth = 0
    /// The height before cropping in pixels, a multiple of 16, at most ``maximumDimension``.
    public package(set) var codedHeight = 0
    /// Pixels cropped on the left.
    public package(set) var cropLeft = 0
    /// Pixels cropped at the top.
    public package(set) var cropTop = 0
    /// Pixels cropped on the right.
    public package(set) var cropRight = 0
    /// Pixels cropped at the bottom.
    public package(set) var cropBottom = 0
    /// Whether all pictures are progressive frames.
    public package(set) var frameMbsOnly = true

    // MARK: Order

    /// The size of `frame_num` in bits, 4 to 16.
    public package(set) var frameNumberBits = 4
    /// `pic_order_cnt_type`, 0 to 2. With 2, output order is decoding order.
    public package(set) var picOrderCountType = 0
    /// The size of `pic_order_cnt_lsb` in bits, 4 to 16; 4 if the picture order count type is not 0.
    public package(set) var picOrderCountBits = 4
    /// The parameters of picture order count type 1; nil for the other types.
    public package(set) var picOrderCycle: PictureOrderCycle?
    /// `max_num_ref_frames`, 0 to 16.
    public package(set) var maxReferenceFrames = 0
    /// `gaps_in_frame_num_value_allowed_flag`: whether reference pictures may be left out on purpose.
    public package(set) var allowsFrameNumberGaps = false
    /// `max_num_reorder_frames`, 0 to 16: the most frames that precede a frame in decoding order and follow it in
    /// output order. If unspecified, it is 0 for streams that cannot reorder (picture order count type 2, and the intra
    /// profiles, E.2.1), otherwise nil.
    public package(set) var reorderDepth: Int?
    /// `max_dec_frame_buffering`, 0 to 16; nil if unspecified.
    public package(set) var maxDecodedFrameBuffering: Int?

    // MARK: Shape and colour

    /// The sample aspect ratio's width, 0 if unspecified.
    public package(set) var pixelAspectRatioHorizontal = 0
    /// The sample aspect ratio's height, 0 if unspecified.
    public package(set) var pixelAspectRatioVertical = 0
    /// Whether samples use the full range; false for the video range, and if unspecified.
    public package(set) var isFullRange = false
    /// `colour_primaries` (table E-3); 2 if unspecified.
    public package(set) var colorPrimaries = 2
    /// `transfer_characteristics` (table E-4); 2 if unspecified.
    public package(set) var transferCharacteristics = 2
    /// `matrix_coefficients` (table E-5); 2 if unspecified.
    public package(set) var matrixCoefficients = 2
    /// The location of 4:2:0 chroma in frames and top fields, 0 to 5 (figure E-1); nil if unspecified.
    public package(set) var chromaLocation: Int?

    // MARK: Time

    /// `time_scale`. The frame rate is `timeScale / (2 * unitsInTick)`. Both numbers are 0 if unspecified, or if either
    /// was 0, which the standard forbids but cameras write.
    public package(set) var timeScale: UInt32 = 0
    /// `num_units_in_tick`; see ``timeScale``.
    public package(set) var unitsInTick: UInt32 = 0
    /// Whether `fixed_frame_rate_flag` is set.
    public package(set) var hasFixedFrameRate = false
    /// Whether NAL HRD parameters are present.
    public package(set) var hasNALHRD = false
    /// Whether VCL HRD parameters are present.
    public package(set) var hasVCLHRD = false
    /// The NAL HRD parameters, or nil.
    public package(set) var nalHRD: HRDParameters?
    /// The VCL HRD parameters, or nil.
    public package(set) var vclHRD: HRDParameters?
    /// Whether picture timing messages contain `pic_struct` (`pic_struct_present_flag`).
    public package(set) var hasPictureStructure = false

    package init() {}

    /// The largest width or height that is read, in pixels. The corresponding C constant is `NALU_MAX_DIMENSION`.
    public static let maximumDimension = 16384
}

extension SequenceParameterSet: ParsedUnit {
    /// Reads one SPS NAL unit, with header byte and emulation prevention bytes, without start code.
    ///
    /// Throws `.badData` if the NAL unit is not an SPS, is cut off, or holds a value that the standard forbids. Throws
    /// `.unsupportedDataFormat` if the picture is larger than ``maximumDimension``.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        self = unsafe try SequenceParameterSetParser(parsing: unit).result
    }

    /// The width after cropping in pixels, at least 1.
    public var width: Int { codedWidth - cropLeft - cropRight }

    /// The height after cropping in pixels, at least 1.
    public var height: Int { codedHeight - cropTop - cropBottom }

    /// Frames per second, nil if unspecified.
    public var frameRate: Double? {
        unitsInTick == 0 ? nil : Double(timeScale) / (2 * Double(unitsInTick))
    }
}

extension SequenceParameterSet {
    /// Returns every syntax element of an SPS NAL unit in order, and the error that ended the list early, if any.
    public static func elements(
        of unit: UnsafeRawBufferPointer
    ) -> (elements: [SyntaxElement], error: NaluError?) {
        unsafe SequenceParameterSetParser.elements(of: unit)
    }
}

/// The parameters of picture order count type 1 (ITU-T H.264 7.4.2.1.1).
public struct PictureOrderCycle: Hashable, Sendable {
    /// Whether slices contain no `delta_pic_order_cnt`.
    public package(set) var deltaAlwaysZero = false
    /// `offset_for_non_ref_pic`.
    public package(set) var nonReferenceOffset = 0
    /// `offset_for_top_to_bottom_field`.
    public package(set) var topToBottomOffset = 0
    /// `offset_for_ref_frame`, up to 255 of them.
    public package(set) var referenceOffsets: [Int] = []
}
