/// The first fields of the video usability information, the same in H.264 and H.265 (E.1.1 and E.2.1 of both).
protocol ShapeAndColour {
    var pixelAspectRatioHorizontal: Int { get set }
    var pixelAspectRatioVertical: Int { get set }
    var isFullRange: Bool { get set }
    var colorPrimaries: Int { get set }
    var transferCharacteristics: Int { get set }
    var matrixCoefficients: Int { get set }
    var chromaLocation: Int? { get set }
    /// The name of the matrix element, the only name that differs between the standards.
    static var matrixElement: StaticString { get }
}

extension ShapeAndColour {
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

extension SequenceParameterSet: ShapeAndColour {
    static var matrixElement: StaticString { "matrix_coefficients" }
}

extension HEVCSequenceParameterSet: ShapeAndColour {
    static var matrixElement: StaticString { "matrix_coeffs" }
}

/// The sample aspect ratios that have an `aspect_ratio_idc` (ITU-T H.264 table E-1).
enum PixelAspectRatios {
    /// The ratios by `aspect_ratio_idc`, 0 (unspecified) to 16.
    static let table: [(horizontal: Int, vertical: Int)] = [
        (0, 0), (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11),
        (15, 11), (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
    ]
}
