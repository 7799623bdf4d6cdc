/// What a sequence parameter set says (ITU-T H.264 7.3.2.1.1 and Annex E). The corresponding C type is
/// `nalu_sequence_info`.
public struct SequenceParameterSet: Hashable, Sendable {
    // MARK: Profile and level

    /// `seq_parameter_set_id`, 0 to 31.
    public internal(set) var id = 0
    /// `profile_idc`: 66 Baseline, 77 Main, 100 High, 110 High 10, and so on (Annex A).
    public internal(set) var profileIDC = 0
    /// The byte after `profile_idc`: constraint_set0_flag is 0x80.
    public internal(set) var constraintFlags = 0
    /// Ten times the level: 31 is level 3.1; 9 is level 1b, however the profile spells it.
    public internal(set) var levelIDC = 0

    // MARK: Samples

    /// 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public internal(set) var chromaFormatIDC = 1
    /// Whether the three planes of 4:4:4 are coded as three monochrome pictures.
    public internal(set) var separateColourPlanes = false
    /// 8 to 14.
    public internal(set) var lumaBitDepth = 8
    /// 8 to 14.
    public internal(set) var chromaBitDepth = 8

    // MARK: Size

    /// Pixels before cropping, a multiple of 16, at most ``maximumDimension``.
    public internal(set) var codedWidth = 0
    /// Pixels before cropping, a multiple of 16, at most ``maximumDimension``.
    public internal(set) var codedHeight = 0
    /// Pixels cut off at the left.
    public internal(set) var cropLeft = 0
    /// Pixels cut off at the top.
    public internal(set) var cropTop = 0
    /// Pixels cut off at the right.
    public internal(set) var cropRight = 0
    /// Pixels cut off at the bottom.
    public internal(set) var cropBottom = 0
    /// Whether all pictures are progressive frames.
    public internal(set) var frameMbsOnly = true

    // MARK: Order

    /// Bits of `frame_num`, 4 to 16.
    public internal(set) var frameNumberBits = 4
    /// 0, 1 or 2; with 2, output order is decoding order.
    public internal(set) var picOrderCountType = 0
    /// Bits of `pic_order_cnt_lsb`, 4 to 16; 4 where picture order count type is not 0.
    public internal(set) var picOrderCountBits = 4
    /// What picture order count type 1 counts with; nil for the other types.
    public internal(set) var picOrderCycle: PictureOrderCycle?
    /// `max_num_ref_frames`, 0 to 16.
    public internal(set) var maxReferenceFrames = 0
    /// `gaps_in_frame_num_value_allowed_flag`: whether reference pictures may be left out on purpose.
    public internal(set) var allowsFrameNumberGaps = false
    /// `max_num_reorder_frames`, 0 to 16: how many frames can precede a frame in decoding order and follow it in
    /// output order. Where it is not said, 0 for streams that cannot reorder (picture order count type 2, and the
    /// intra profiles, E.2.1), else nil.
    public internal(set) var reorderDepth: Int?
    /// `max_dec_frame_buffering`, 0 to 16; nil when not said.
    public internal(set) var maxDecodedFrameBuffering: Int?

    // MARK: Shape and colour

    /// The sample aspect ratio's width, 0 when not said.
    public internal(set) var pixelAspectRatioHorizontal = 0
    /// The sample aspect ratio's height, 0 when not said.
    public internal(set) var pixelAspectRatioVertical = 0
    /// Whether samples use the full range; false for the video range, and when not said.
    public internal(set) var isFullRange = false
    /// Table E-3; 2 when not said.
    public internal(set) var colorPrimaries = 2
    /// Table E-4; 2 when not said.
    public internal(set) var transferCharacteristics = 2
    /// Table E-5; 2 when not said.
    public internal(set) var matrixCoefficients = 2

    // MARK: Time

    /// Frames a second are `timeScale / (2 * unitsInTick)`. Both are 0 when not said, or when either was 0, which the
    /// standard forbids but cameras write.
    public internal(set) var timeScale: UInt32 = 0
    /// See ``timeScale``.
    public internal(set) var unitsInTick: UInt32 = 0
    /// Whether `fixed_frame_rate_flag` is set.
    public internal(set) var hasFixedFrameRate = false
    /// Whether NAL HRD parameters are present.
    public internal(set) var hasNALHRD = false
    /// Whether VCL HRD parameters are present.
    public internal(set) var hasVCLHRD = false
    /// The NAL HRD parameters; nil without.
    public internal(set) var nalHRD: HRDParameters?
    /// The VCL HRD parameters; nil without.
    public internal(set) var vclHRD: HRDParameters?
    /// Whether picture timing messages say how pictures are shown (`pic_struct_present_flag`).
    public internal(set) var hasPictureStructure = false

    init() {}

    /// The largest width or height that is read, in pixels. The corresponding C constant is `NALU_MAX_DIMENSION`.
    public static let maximumDimension = 16384
}

extension SequenceParameterSet {
    /// Reads one SPS NAL unit: its header byte first, no start code, emulation prevention bytes in place.
    ///
    /// Throws `.badData` when the unit is no SPS, is cut off, or holds a value that the standard forbids;
    /// `.unsupportedDataFormat` when the picture is larger than ``maximumDimension``.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        self = unsafe try SequenceParameterSetParser(parsing: unit).result
    }

    /// Reads one SPS NAL unit. Throws as ``init(parsing:)-(UnsafeRawBufferPointer)`` does.
    public init(parsing unit: [UInt8]) throws(NaluError) {
        self = unsafe try unit.withBytes { (bytes) throws(NaluError) in
            unsafe try SequenceParameterSet(parsing: bytes)
        }
    }

    /// Pixels after cropping, at least 1.
    public var width: Int { codedWidth - cropLeft - cropRight }

    /// Pixels after cropping, at least 1.
    public var height: Int { codedHeight - cropTop - cropBottom }

    /// Frames a second, nil when not said.
    public var frameRate: Double? {
        unitsInTick == 0 ? nil : Double(timeScale) / (2 * Double(unitsInTick))
    }

    /// `ChromaArrayType`: 0 where planes are coded separately, else ``chromaFormatIDC``.
    var chromaArrayType: Int { separateColourPlanes ? 0 : chromaFormatIDC }
}

extension SequenceParameterSet {
    /// Every syntax element of an SPS NAL unit in order, and what is wrong where they stop early.
    public static func elements(
        of unit: UnsafeRawBufferPointer
    ) -> (elements: [SyntaxElement], error: NaluError?) {
        unsafe SequenceParameterSetParser.elements(of: unit)
    }
}
