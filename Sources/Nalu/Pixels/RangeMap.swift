import CPixelKernels

/// The map of luma and chroma bytes between video range (16...235 and 16...240, ITU-R BT.601-7 and BT.709-6) and full
/// range (0...255, ITU-T H.273).
enum RangeMap {
    case keep
    case expand
    case compress

    init(fromFullRange source: Bool, toFullRange destination: Bool) {
        self = source == destination ? .keep : destination ? .expand : .compress
    }

    var luma: nalu_byte_map {
        switch self {
        case .keep: Self.map(scale: 1, offset: 0)
        case .expand: Self.map(scale: 255.0 / 219, offset: -16 * 255.0 / 219)
        case .compress: Self.map(scale: 219.0 / 255, offset: 16)
        }
    }

    var chroma: nalu_byte_map {
        switch self {
        case .keep: Self.map(scale: 1, offset: 0)
        case .expand: Self.map(scale: 255.0 / 224, offset: 128 - 128 * 255.0 / 224)
        case .compress: Self.map(scale: 224.0 / 255, offset: 128 - 128 * 224.0 / 255)
        }
    }

    private static func map(scale: Double, offset: Double) -> nalu_byte_map {
        nalu_byte_map(scale: Int32((scale * 16384).rounded()), bias: Int32(((offset + 0.5) * 16384).rounded()))
    }
}
