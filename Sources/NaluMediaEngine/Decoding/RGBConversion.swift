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
    func convert(_ image: OpaquePointer, to destination: OpaquePointer) {
        let width = unsafe nalu_pixel_buffer_get_width(image)
        let isPlanar = unsafe nalu_pixel_buffer_get_plane_count(image) == 3
        func row<Sample>(_ plane: UInt32, _ y: Int32, as type: Sample.Type) -> UnsafePointer<Sample>? {
            let base = unsafe nalu_pixel_buffer_get_plane_base_address(image, plane)
            let line = plane == 0 ? y : y / source.rows
            return unsafe base.map {
                unsafe (UnsafeRawPointer($0) + Int(nalu_pixel_buffer_get_plane_stride(image, plane)) * Int(line))
                    .assumingMemoryBound(to: type)
            }
        }
        unsafe withUnsafePointer(to: weights) { weights in
            unsafe Self.eachRow(of: destination) { target, y in
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
    static func interleave(
        _ picture: UnsafeMutablePointer<AVFrame>, to destination: OpaquePointer, _ format: nalu_pixel_format
    ) {
        guard let layout = layout(of: format) else { return }
        let (data, strides) = unsafe (picture.pointee.data, picture.pointee.linesize)
        let width = unsafe nalu_pixel_buffer_get_width(destination)
        func row(_ plane: UnsafeMutablePointer<UInt8>?, _ stride: Int32, _ y: Int32) -> UnsafePointer<UInt8>? {
            unsafe plane.map { unsafe UnsafePointer($0 + Int(stride) * Int(y)) }
        }
        unsafe eachRow(of: destination) { target, y in
            unsafe nalu_rgb_row_from_rgb_planes(
                row(data.2, strides.2, y), row(data.0, strides.0, y), row(data.1, strides.1, y), width, layout, target)
        }
    }

    private static func eachRow(of image: OpaquePointer, _ body: (UnsafeMutablePointer<UInt8>, Int32) -> Void) {
        guard let base = unsafe nalu_pixel_buffer_get_plane_base_address(image, 0) else { return }
        let stride = unsafe Int(nalu_pixel_buffer_get_plane_stride(image, 0))
        for y in 0..<(unsafe nalu_pixel_buffer_get_height(image)) {
            unsafe body((base + stride * Int(y)).assumingMemoryBound(to: UInt8.self), y)
        }
    }
}
