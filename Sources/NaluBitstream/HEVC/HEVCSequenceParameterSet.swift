/// What an H.265 sequence parameter set says (ITU-T H.265 7.3.2.2 and Annex E).
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

    /// 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public package(set) var chromaFormatIDC = 1
    /// Whether the three planes of 4:4:4 are coded as three monochrome pictures.
    public package(set) var separateColourPlanes = false
    /// 8 to 16.
    public package(set) var lumaBitDepth = 8
    /// 8 to 16.
    public package(set) var chromaBitDepth = 8

    // MARK: Size

    /// Pixels before cropping, at most ``SequenceParameterSet/maximumDimension``.
    public package(set) var codedWidth = 0
    /// Pixels before cropping, at most ``SequenceParameterSet/maximumDimension``.
    public package(set) var codedHeight = 0
    /// Pixels that the conformance window cuts off at the left.
    public package(set) var cropLeft = 0
    /// Pixels cut off at the top.
    public package(set) var cropTop = 0
    /// Pixels cut off at the right.
    public package(set) var cropRight = 0
    /// Pixels cut off at the bottom.
    public package(set) var cropBottom = 0
    /// Width and height of a coding tree block in pixels: 16, 32 or 64.
    public package(set) var treeBlockSize = 16

    // MARK: Order

    /// Bits of `slice_pic_order_cnt_lsb`, 4 to 16.
    public package(set) var picOrderCountBits = 4
    /// `sps_max_dec_pic_buffering_minus1` of the highest sub-layer, 0 to 15: pictures that a decoder keeps in addition
    /// to the one under way.
    public package(set) var maximumKeptPictures = 0
    /// `sps_max_num_reorder_pics` of the highest sub-layer, 0 to 15: how many pictures can precede a picture in decoding
    /// order and follow it in output order.
    public package(set) var reorderDepth = 0

    // MARK: References

    /// The short-term reference picture sets that slices can choose from, at most 64.
    public package(set) var shortTermReferences: [HEVCShortTermReferences] = []
    /// Whether slices can have long-term reference pictures.
    public package(set) var hasLongTermReferences = false
    /// The long-term reference pictures that slices can choose from, at most 32.
    public package(set) var longTermReferences: [HEVCLongTermReferences.Picture] = []

    // MARK: Shape and colour

    /// The sample aspect ratio's width, 0 when not said.
    public package(set) var pixelAspectRatioHorizontal = 0
    /// The sample aspect ratio's height, 0 when not said.
    public package(set) var pixelAspectRatioVertical = 0
    /// Whether samples use the full range; false for the video range, and when not said.
    public package(set) var isFullRange = false
    /// Table E.3; 2 when not said.
    public package(set) var colorPrimaries = 2
    /// Table E.4; 2 when not said.
    public package(set) var transferCharacteristics = 2
    /// Table E.5; 2 when not said.
    public package(set) var matrixCoefficients = 2
    /// Where 4:2:0 chroma of frames and top fields lies, 0 to 5 (figure E.1); nil when not said.
    public package(set) var chromaLocation: Int?
    /// Whether each picture is a field (`field_seq_flag`).
    public package(set) var isFieldSequence = false

    // MARK: Time

    /// Pictures a second are `timeScale / unitsInTick`. Both are 0 when not said, or when either was 0.
    public package(set) var timeScale: UInt32 = 0
    /// See ``timeScale``.
    public package(set) var unitsInTick: UInt32 = 0
    /// Whether pictures of the highest sub-layer follow each other at a fixed distance.
    public package(set) var hasFixedFrameRate = false
    /// Whether NAL HRD parameters are present.
    public package(set) var hasNALHRD = false
    /// What picture timing messages are read with; nil where the SPS has no HRD parameters.
    var referenceDecoder: HEVCReferenceDecoder?
    /// Whether picture timing messages say how a picture is to be shown (`frame_field_info_present_flag`).
    var hasPictureStructure = false
    /// `min_spatial_segmentation_idc`, 0 to 4095; 0 when not said.
    public package(set) var minimumSpatialSegmentation = 0

    init() {}
}

extension HEVCSequenceParameterSet {
    /// Reads one SPS NAL unit: its header first, no start code, emulation prevention bytes in place. What follows the
    /// video usability information, extensions, is not looked at.
    ///
    /// Throws `.badData` when the unit is no SPS of layer 0, is cut off, or holds a value that the standard forbids;
    /// `.unsupportedDataFormat` when the picture is larger than ``SequenceParameterSet/maximumDimension``.
    public init(parsing unit: UnsafeRawBufferPointer) throws(NaluError) {
        self = unsafe try HEVCSequenceParameterSetParser(parsing: unit).result
    }

    /// Reads one SPS NAL unit. Throws as ``init(parsing:)-(UnsafeRawBufferPointer)`` does.
    public init(parsing unit: [UInt8]) throws(NaluError) {
        self = unsafe try unit.withBytes { (bytes) throws(NaluError) in
            unsafe try HEVCSequenceParameterSet(parsing: bytes)
        }
    }

    /// Every syntax element of an SPS NAL unit in order, and what is wrong where they stop early. The profiles of
    /// sub-layers, and other extensions than that of the range, are passed over.
    public static func elements(of unit: [UInt8]) -> (elements: [SyntaxElement], error: NaluError?) {
        unsafe unit.withUnsafeBytes { unsafe HEVCSequenceParameterSetParser.elements(of: $0) }
    }

    /// Pixels after cropping, at least 1.
    public var width: Int { codedWidth - cropLeft - cropRight }

    /// Pixels after cropping, at least 1.
    public var height: Int { codedHeight - cropTop - cropBottom }

    /// `PicSizeInCtbsY`.
    var treeBlockCount: Int {
        func blocks(_ size: Int) -> Int { (size + treeBlockSize - 1) / treeBlockSize }
        return blocks(codedWidth) * blocks(codedHeight)
    }

    /// What H.265 has in common with H.264, in the terms of the latter.
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
        // A tick in H.264 is a field's duration, half of that in H.265.
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
