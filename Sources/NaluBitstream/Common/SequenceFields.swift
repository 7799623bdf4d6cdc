/// The fields that the sequence parameter sets of H.264 and H.265 have in common.
protocol SequenceFields {
    var chromaFormatIDC: Int { get }
    var separateColourPlanes: Bool { get }
    var codedWidth: Int { get }
    var codedHeight: Int { get }
    var cropLeft: Int { get set }
    var cropTop: Int { get set }
    var cropRight: Int { get set }
    var cropBottom: Int { get set }
    var width: Int { get }
    var height: Int { get }
    /// The rows of the picture for each row that cropping counts: 2 if an H.264 stream may have fields.
    var croppingRows: Int { get }

    var pixelAspectRatioHorizontal: Int { get set }
    var pixelAspectRatioVertical: Int { get set }
    var isFullRange: Bool { get set }
    var colorPrimaries: Int { get set }
    var transferCharacteristics: Int { get set }
    var matrixCoefficients: Int { get set }
    var chromaLocation: Int? { get set }
    /// The name of the matrix element, which differs between the standards.
    static var matrixElement: StaticString { get }
    /// The name of the cropping in error messages.
    static var croppingName: StaticString { get }
    /// The names of the offsets of cropping: left, right, top and bottom.
    static var croppingElements: [StaticString] { get }
}

extension SequenceFields {
    /// `ChromaArrayType`: 0 if planes are coded separately, otherwise ``chromaFormatIDC``.
    var chromaArrayType: Int { separateColourPlanes ? 0 : chromaFormatIDC }

    /// The columns and rows of one unit of cropping.
    var croppingUnit: (x: Int, y: Int) {
        (chromaArrayType == 1 || chromaArrayType == 2 ? 2 : 1, (chromaArrayType == 1 ? 2 : 1) * croppingRows)
    }

    /// Throws `.unsupportedDataFormat` if the picture is larger than ``SequenceParameterSet/maximumDimension``.
    func checkSize() throws(NaluError) {
        let limit = SequenceParameterSet.maximumDimension
        guard codedWidth <= limit, codedHeight <= limit else {
            throw NaluError(
                .unsupportedDataFormat,
                "the SPS has \(codedWidth) x \(codedHeight) pixels; expected at most \(limit) each")
        }
    }

    /// Reads the offsets of cropping. Throws `.badData` if no pixels are left.
    mutating func readCropping(in reader: inout BitReader) throws(NaluError) {
        let (unit, limit) = (croppingUnit, 0...SequenceParameterSet.maximumDimension)
        cropLeft = unit.x * (try reader.unsigned(Self.croppingElements[0], limit))
        cropRight = unit.x * (try reader.unsigned(Self.croppingElements[1], limit))
        cropTop = unit.y * (try reader.unsigned(Self.croppingElements[2], limit))
        cropBottom = unit.y * (try reader.unsigned(Self.croppingElements[3], limit))
        guard width > 0, height > 0 else {
            throw NaluError(
                .badData,
                "\(Self.croppingName) leaves \(width) x \(height) of \(codedWidth) x \(codedHeight) pixels")
        }
    }

    /// Reads the first fields of the video usability information (E.1.1 and E.2.1 of both standards).
    mutating func readShapeAndColour(in reader: inout BitReader) throws(NaluError) {
        if try reader.flag("aspect_ratio_info_present_flag") {
            let index = Int(try reader.bits(8, "aspect_ratio_idc"))
            if index == 255 {
                pixelAspectRatioHorizontal = Int(try reader.bits(16, "sar_width"))
                pixelAspectRatioVertical = Int(try reader.bits(16, "sar_height"))
            } else if let ratio = PixelAspectRatios.table.dropFirst(index).first {
                (pixelAspectRatioHorizontal, pixelAspectRatioVertical) = ratio
            }
        }
        if try reader.flag("overscan_info_present_flag") {
            _ = try reader.flag("overscan_appropriate_flag")
        }
        if try reader.flag("video_signal_type_present_flag") {
            _ = try reader.bits(3, "video_format")
            isFullRange = try reader.flag("video_full_range_flag")
            if try reader.flag("colour_description_present_flag") {
                colorPrimaries = Int(try reader.bits(8, "colour_primaries"))
                transferCharacteristics = Int(try reader.bits(8, "transfer_characteristics"))
                matrixCoefficients = Int(try reader.bits(8, Self.matrixElement))
            }
        }
        if try reader.flag("chroma_loc_info_present_flag") {
            chromaLocation = Int(try reader.unsigned("chroma_sample_loc_type_top_field", 0...5))
            _ = try reader.unsigned("chroma_sample_loc_type_bottom_field", 0...5)
        }
    }
}

extension SequenceParameterSet: SequenceFields {
    var croppingRows: Int { frameMbsOnly ? 1 : 2 }
    static var matrixElement: StaticString { "matrix_coefficients" }
    static var croppingName: StaticString { "cropping" }
    static let croppingElements: [StaticString] = [
        "frame_crop_left_offset", "frame_crop_right_offset", "frame_crop_top_offset", "frame_crop_bottom_offset",
    ]
}

extension HEVCSequenceParameterSet: SequenceFields {
    var croppingRows: Int { 1 }
    static var matrixElement: StaticString { "matrix_coeffs" }
    static var croppingName: StaticString { "the conformance window" }
    static let croppingElements: [StaticString] = [
        "conf_win_left_offset", "conf_win_right_offset", "conf_win_top_offset", "conf_win_bottom_offset",
    ]
}

/// The sample aspect ratios that have an `aspect_ratio_idc` (ITU-T H.264 table E-1).
enum PixelAspectRatios {
    /// The ratios by `aspect_ratio_idc`, 0 (unspecified) to 16.
    static let table: [(horizontal: Int, vertical: Int)] = [
        (0, 0), (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11),
        (15, 11), (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
    ]
}
