internal import CFFmpeg
internal import CPixelKernels
internal import Nalu

/// A conversion from the stream's YCbCr to RGB.
struct RGBConversion {
    private let weights: nalu_yuv_weights
    private let layout: Int32
    private let source: ImageFormat

    /// nil for a pixel format that is not RGB.
    init?(_ matrix: ColorMatrix, from source: ImageFormat, to format: PixelFormat) {
        guard let layout = Self.layout(of: format) else { return nil }
        self.layout = layout
        self.source = source
        let one = 8192.0
        // 10-bit full range ends at 1023, which is not four times 255.
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

    static func isRGB(_ format: PixelFormat) -> Bool { layout(of: format) != nil }

    private static func layout(of format: PixelFormat) -> Int32? {
        switch format {
        case .bgra: Int32(NALU_RGB_LAYOUT_BGRA)
        case .rgba: Int32(NALU_RGB_LAYOUT_RGBA)
        case .argb: Int32(NALU_RGB_LAYOUT_ARGB)
        case .abgr: Int32(NALU_RGB_LAYOUT_ABGR)
        case .rgb24: Int32(NALU_RGB_LAYOUT_RGB)
        case .bgr24: Int32(NALU_RGB_LAYOUT_BGR)
        default: nil
        }
    }

    /// Converts an image to RGB. Both must have the same size.
    func convert(_ image: PixelBuffer, to destination: PixelBuffer) {
        let width = Int32(image.width)
        let isPlanar = image.planeCount == 3
        func row<Element>(_ plane: Int, _ y: Int, as type: Element.Type) -> UnsafePointer<Element>? {
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

    /// Copies decoded planes of green, blue and red into one plane of pixels.
    static func interleave(_ picture: DecodedPicture, to destination: PixelBuffer, _ format: PixelFormat) {
        guard let layout = layout(of: format) else { return }
        let width = Int32(destination.width)
        unsafe destination.eachRow(ofPlane: 0) { target, y in
            unsafe nalu_rgb_row_from_rgb_planes(
                picture.row(y, ofPlane: 2, as: UInt8.self), picture.row(y, ofPlane: 0, as: UInt8.self),
                picture.row(y, ofPlane: 1, as: UInt8.self), width, layout,
                target.assumingMemoryBound(to: UInt8.self))
        }
    }
}

extension ColorMatrix {
    /// The matrix with a number of ITU-T H.273 table 4; ``automatic(height:)`` for a number that names none of them.
    package init(coefficients number: Int, height: Int) {
        switch number {
        case 1: self = .itu709
        case 4, 5, 6: self = .itu601
        case 7: self = .smpte240m
        case 9, 10: self = .itu2020
        default: self = .automatic(height: height)
        }
    }
}
