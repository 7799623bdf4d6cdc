internal import CFFmpeg
internal import CNalu
internal import CPixelKernels

/// From the YCbCr of a stream to RGB.
struct RGBConversion {
    /// The luma weights of a matrix; everything else follows from them.
    enum Matrix: Hashable {
        case bt601, bt709, bt2020, smpte240M

        /// From `matrix_coefficients` of ISO/IEC 23091-2. Where nothing is said: BT.709 from 720 lines on, BT.601 below.
        init(_ number: Int, height: Int32) {
            switch number {
            case 1: self = .bt709
            case 4, 5, 6: self = .bt601
            case 7: self = .smpte240M
            case 9, 10: self = .bt2020
            default: self = height >= 720 ? .bt709 : .bt601
            }
        }

        var kr: Double {
            switch self {
            case .bt601: 0.299
            case .bt709: 0.2126
            case .bt2020: 0.2627
            case .smpte240M: 0.212
            }
        }

        var kb: Double {
            switch self {
            case .bt601: 0.114
            case .bt709: 0.0722
            case .bt2020: 0.0593
            case .smpte240M: 0.087
            }
        }
    }

    private let weights: nalu_yuv_weights
    private let layout: Int32
    private let source: ImageFormat

    /// nil for a format that is not RGB.
    init?(_ matrix: Matrix, from source: ImageFormat, to format: nalu_pixel_format) {
        guard let layout = Self.layout(of: format) else { return nil }
        self.layout = layout
        self.source = source
        let one = 8192.0
        // Full range of 10 bits ends at 1023, which is not four times 255.
        let largest = Double(Int32(1) << source.bits - 1)
        let full = largest / Double(Int32(1) << (source.bits - 8))
        let lumaSpan = source.isFullRange ? full : 219
        let chromaSpan = source.isFullRange ? full : 224
        let (kr, kb) = (matrix.kr, matrix.kb)
        let kg = 1 - kr - kb
        func rounded(_ value: Double) -> Int16 { Int16((value * one).rounded()) }
        let chroma = 255 / chromaSpan
        weights = nalu_yuv_weights(
            luma: rounded(255 / lumaSpan), red_cr: rounded(2 * (1 - kr) * chroma),
            green_cb: rounded(-2 * (1 - kb) * kb / kg * chroma), green_cr: rounded(-2 * (1 - kr) * kr / kg * chroma),
            blue_cb: rounded(2 * (1 - kb) * chroma), black: source.isFullRange ? 0 : 16)
    }

    static func isRGB(_ format: nalu_pixel_format) -> Bool { layout(of: format) != nil }

    private static func layout(of format: nalu_pixel_format) -> Int32? {
        switch format {
        case NALU_PIXEL_FORMAT_BGRA: Int32(NALU_RGB_LAYOUT_BGRA)
        case NALU_PIXEL_FORMAT_RGBA: Int32(NALU_RGB_LAYOUT_RGBA)
        case NALU_PIXEL_FORMAT_ARGB: Int32(NALU_RGB_LAYOUT_ARGB)
        case NALU_PIXEL_FORMAT_ABGR: Int32(NALU_RGB_LAYOUT_ABGR)
        case NALU_PIXEL_FORMAT_24RGB: Int32(NALU_RGB_LAYOUT_RGB)
        case NALU_PIXEL_FORMAT_24BGR: Int32(NALU_RGB_LAYOUT_BGR)
        default: nil
        }
    }

    /// Both of one size.
    func convert(_ image: PixelBufferObject, to destination: PixelBufferObject) {
        let width = image.width
        let isPlanar = image.planeCount == 3
        func row<Sample>(_ plane: UInt32, _ y: Int, as type: Sample.Type) -> UnsafePointer<Sample>? {
            let line = plane == 0 ? y : y / Int(source.rows)
            return unsafe image.row(line, ofPlane: plane).map {
                unsafe UnsafePointer($0.assumingMemoryBound(to: type))
            }
        }
        unsafe withUnsafePointer(to: weights) { weights in
            unsafe destination.eachRow(ofPlane: 0) { target, y in
                let target = unsafe target.assumingMemoryBound(to: UInt8.self)
                if isPlanar {
                    unsafe nalu_rgb_row_from_planes(
                        row(0, y, as: UInt8.self), row(1, y, as: UInt8.self), row(2, y, as: UInt8.self), width, weights,
                        layout, target)
                } else if source.bits == 8 {
                    unsafe nalu_rgb_row_from_pairs(
                        row(0, y, as: UInt8.self), row(1, y, as: UInt8.self), width, source.columns, weights, layout,
                        target)
                } else if source.bits == 10 && source.columns == 2 {
                    unsafe nalu_rgb_row_from_words(
                        row(0, y, as: UInt16.self), row(1, y, as: UInt16.self), width, weights, layout, target)
                } else {
                    unsafe nalu_rgb_row_from_word_pairs(
                        row(0, y, as: UInt16.self), row(1, y, as: UInt16.self), width, source.columns, weights, layout,
                        target)
                }
            }
        }
    }

    /// Planes of green, blue and red as they are decoded.
    static func interleave(_ picture: PictureObject, to destination: PixelBufferObject, _ format: nalu_pixel_format) {
        guard let layout = layout(of: format) else { return }
        let width = destination.width
        unsafe destination.eachRow(ofPlane: 0) { target, y in
            unsafe nalu_rgb_row_from_rgb_planes(
                picture.row(y, ofPlane: 2, as: UInt8.self), picture.row(y, ofPlane: 0, as: UInt8.self),
                picture.row(y, ofPlane: 1, as: UInt8.self), width, layout,
                target.assumingMemoryBound(to: UInt8.self))
        }
    }
}
