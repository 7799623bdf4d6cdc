/// The content of an H.265 sequence parameter set (ITU-T H.265 7.3.2.2 and Annex E).
public struct HEVCSequenceParameterSet: Hashable, Sendable {
    /// `sps_seq_parameter_set_id`, 0 to 15.
    public package(set) var id = 0
    /// `sps_video_parameter_set_id`, 0 to 15.
    public package(set) var videoParameterSetID = 0
    public package(set) var profileTierLevel = HEVCProfileTierLevel()
    /// Temporal sub-layers, 1 to 7.
    public package(set) var subLayerCount = 1
    public package(set) var isTemporalIDNested = false

    // MARK: Samples

    /// `chroma_format_idc`: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public package(set) var chromaFormatIDC = 1
    /// Whether the three planes of 4:4:4 are coded as three monochrome pictures.
    public package(set) var separateColourPlanes = false
    /// Bits per luma sample, 8 to 16.
    public package(set) var lumaBitDepth = 8
    /// Bits per chroma sample, 8 to 16.
    public package(set) var chromaBitDepth = 8

    // MARK: Size

    /// The width before cropping in pixels, at most ``SequenceParameterSet/maximumDimension``.
    public package(set) var codedWidth = 0
    /// The height before cropping in pixels, at most ``SequenceParameterSet/maximumDimension``.
    public package(set) var codedHeight = 0
    /// Pixels that the conformance window crops on the left.
    public package(set) var cropLeft = 0
    /// Pixels cropped at the top.
    public package(set) var cropTop = 0
    /// Pixels cropped on the right.
    public package(set) var cropRight = 0
    /// Pixels cropped at the bottom.
    public package(set) var cropBottom = 0
    /// The width and height of a coding tree block in pixels: 16, 32 or 64.
    public package(set) var treeBlockSize = 16

    // MARK: Order

    /// The size of `slice_pic_order_cnt_lsb` in bits, 4 to 16.
    public package(set) var picOrderCountBits = 4
    /// `sps_max_dec_pic_buffering_minus1` of the highest sub-layer, 0 to 15: the most pictures that a decoder keeps in
    /// addition to the current one.
    public package(set) var maximumKeptPictures = 0
    /// `sps_max_num_reorder_pics` of the highest sub-layer, 0 to 15: the most pictures that precede a picture in
    /// decoding order and follow it in output order.
    public package(set) var reorderDepth = 0

    // MARK: References

    /// The short-term reference picture sets that slices can choose from, at most 64.
    public package(set) var shortTermReferences: [HEVCShortTermReferences] = []
    /// Whether slices can have long-term reference pictures.
    public package(set) var hasLongTermReferences = false
    /// The long-term reference pictures that slices can choose from, at most 32.
    public package(set) var longTermReferences: [HEVCLongTermReferences.Picture] = []

    // MARK: Shape and colour

    /// The sample aspect ratio's width, 0 if unspecified.
    public package(set) var pixelAspectRatioHorizontal = 0
    /// The sample aspect ratio's height, 0 if unspecified.
    public package(set) var pixelAspectRatioVertical = 0
    /// Whether samples use the full range; false for the video range, and if unspecified.
    public package(set) var isFullRange = false
    /// `colour_primaries` (table E.3); 2 if unspecified.
    public package(set) var colorPrimaries = 2
    /// `transfer_characteristics` (table E.4); 2 if unspecified.
    public package(set) var transferCharacteristics = 2
    /// `matrix_coeffs` (table E.5); 2 if unspecified.
    public package(set) var matrixCoefficients = 2
    /// The location of 4:2:0 chroma in frames and top fields, 0 to 5 (figure E.1); nil if unspecified.
    public package(set) var chromaLocation: Int?
    /// Whether each picture is a field (`field_seq_flag`).
    public package(set) var isFieldSequence = false

    // MARK: Time

    /// `vui_time_scale`. The picture rate is `timeScale / unitsInTick`. Both numbers are 0 if unspecified, or if either
    /// was 0.
    public package(set) var timeScale: UInt32 = 0
    /// `vui_num_units_in_tick`; see ``timeScale``.
    public package(set) var unitsInTick: UInt32 = 0
    /// Whether pictures of the highest sub-layer follow each other at a fixed distance.
    public package(set) var hasFixedFrameRate = false
    /// Whether NAL HRD parameters are present.
    public package(set) var hasNALHRD = false
    /// The HRD parameters, which the reading of picture timing messages needs; nil if the SPS has none.
    var referenceDecoder: HEVCReferenceDecoder?
    /// Whether picture timing messages contain `pic_struct` (`frame_field_info_present_flag`).
    var hasPictureStructure = false
    /// `min_spatial_segmentation_idc`, 0 to 4095; 0 if unspecified.
    public package(set) var minimumSpatialSegmentation = 0

    init() {}
}

extension HEVCSequenceParameterSet: ParsedUnit {
    /// Reads one SPS NAL unit, with header and emulation prevention bytes, without start code. The extensions, which
    /// follow the video usability information, are not read.
    ///
    /// Throws `.badData` if the NAL unit is not an SPS of layer 0, is cut off, or holds a value that the standard
    /// forbids. Throws `.unsupportedDataFormat` if the picture is larger than
    /// ``SequenceParameterSet/maximumDimension``.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        self = unsafe try HEVCSequenceParameterSetParser(parsing: unit).result
    }

    /// Returns every syntax element of an SPS NAL unit in order, and the error that ended the list early, if any. The
    /// profiles of sub-layers are not listed, and the only extension listed is the range extension.
    public static func elements(of unit: [UInt8]) -> (elements: [SyntaxElement], error: NaluError?) {
        unsafe unit.withUnsafeBytes { unsafe HEVCSequenceParameterSetParser.elements(of: $0) }
    }

    /// The width after cropping in pixels, at least 1.
    public var width: Int { codedWidth - cropLeft - cropRight }

    /// The height after cropping in pixels, at least 1.
    public var height: Int { codedHeight - cropTop - cropBottom }

    /// The number of coding tree blocks in a picture, `PicSizeInCtbsY`.
    var treeBlockCount: Int {
        func blocks(_ size: Int) -> Int { (size + treeBlockSize - 1) / treeBlockSize }
        return blocks(codedWidth) * blocks(codedHeight)
    }

    /// The fields that H.265 has in common with H.264, as an H.264 SPS.
    public var common: SequenceParameterSet {
        var result = SequenceParameterSet()
        result.id = id
        result.profileIDC = profileTierLevel.profileIDC
        result.constraintFlags = Int(profileTierLevel.constraintFlags >> 40)
        result.levelIDC = profileTierLevel.levelIDC
        result.chromaFormatIDC = chromaFormatIDC
        result.separateColourPlanes = separateColourPlanes
        result.lumaBitDepth = lumaBitDepth
        result.chromaBitDepth = chromaBitDepth
        (result.codedWidth, result.codedHeight) = (codedWidth, codedHeight)
        (result.cropLeft, result.cropRight) = (cropLeft, cropRight)
        (result.cropTop, result.cropBottom) = (cropTop, cropBottom)
        result.frameMbsOnly = !isFieldSequence
        result.picOrderCountBits = picOrderCountBits
        result.maxReferenceFrames = maximumKeptPictures
        result.maxDecodedFrameBuffering = maximumKeptPictures
        result.reorderDepth = reorderDepth
        result.pixelAspectRatioHorizontal = pixelAspectRatioHorizontal
        result.pixelAspectRatioVertical = pixelAspectRatioVertical
        result.isFullRange = isFullRange
        result.colorPrimaries = colorPrimaries
        result.transferCharacteristics = transferCharacteristics
        result.matrixCoefficients = matrixCoefficients
        result.chromaLocation = chromaLocation
        // A picture takes two ticks in H.264 and one in H.265.
        let doubled = timeScale.multipliedReportingOverflow(by: 2)
        if doubled.overflow {
            result.timeScale = timeScale
            result.unitsInTick = max(1, unitsInTick / 2)
        } else {
            result.timeScale = doubled.partialValue
            result.unitsInTick = unitsInTick
        }
        result.hasFixedFrameRate = hasFixedFrameRate
        result.hasNALHRD = hasNALHRD
        return result
    }
}
