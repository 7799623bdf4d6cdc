internal import CFFmpeg
internal import Nalu

/// The layout of a decoder's picture in memory: planes of samples in the lowest bits of bytes or 16-bit words.
struct PictureLayout {
    /// The bits of each component.
    let depth: Int32
    /// False for a picture of luma alone.
    let hasChroma: Bool
    /// The numbers of columns and of rows that share a chroma sample.
    let columns: Int32
    let rows: Int32
    /// Whether the planes are green, blue and red.
    let isRGB: Bool

    /// nil for formats that no decoder of H.264 and H.265 returns, such as pictures in the memory of a device.
    init?(_ format: AVPixelFormat) {
        guard let found = unsafe av_pix_fmt_desc_get(format)?.pointee else { return nil }
        let (components, flags, count) = (found.comp, found.flags, found.nb_components)
        let shifts = (Int32(found.log2_chroma_w), Int32(found.log2_chroma_h))
        let other =
            AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL
            | AV_PIX_FMT_FLAG_ALPHA
        hasChroma = count == 3
        guard flags & UInt64(other) == 0, count == 1 || count == 3,
            !hasChroma || components.0.plane != components.1.plane && components.0.depth == components.1.depth
        else { return nil }
        depth = components.0.depth
        columns = hasChroma ? 1 << shifts.0 : 2
        rows = hasChroma ? 1 << shifts.1 : 2
        isRGB = flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
    }

    /// The layout of the decoder's pictures for a sequence.
    init(_ info: SequenceParameterSet) {
        depth = Int32(info.lumaBitDepth)
        hasChroma = info.chromaFormatIDC != 0
        columns = info.chromaFormatIDC == 3 ? 1 : 2
        rows = info.chromaFormatIDC > 1 ? 1 : 2
        // ITU-T H.273 table 4: 0 is RGB.
        isRGB = info.chromaFormatIDC == 3 && info.matrixCoefficients == 0
    }
}

/// The form of a YCbCr image that a session makes.
struct ImageFormat {
    let code: PixelFormat
    let isFullRange: Bool
    /// The bits of a sample: 8 in a byte, or 10 or 16 in the highest bits of a 16-bit word.
    let bits: Int32
    let columns: Int32
    let rows: Int32

    /// The format that loses nothing of a picture; nil if there is none, as for RGB.
    init?(_ layout: PictureLayout, isFullRange: Bool) {
        let bits: Int32 = layout.depth == 8 ? 8 : layout.depth <= 10 ? 10 : 16
        guard !layout.isRGB, (8...16).contains(layout.depth) else { return nil }
        let codes: (video: PixelFormat, full: PixelFormat)
        switch (layout.columns, layout.rows, bits) {
        case (2, 2, 8): codes = (.i420, .i420FullRange)
        case (2, 1, 8): codes = (.nv16, .nv16FullRange)
        case (1, 1, 8): codes = (.nv24, .nv24FullRange)
        case (2, 2, 10): codes = (.x420, .x420FullRange)
        case (2, 1, 10): codes = (.x422, .x422FullRange)
        case (1, 1, 10): codes = (.x444, .x444FullRange)
        case (2, 2, 16): codes = (.sv20, .sv20FullRange)
        case (2, 1, 16): codes = (.sv22, .sv22FullRange)
        case (1, 1, 16): codes = (.sv44, .sv44FullRange)
        default: return nil
        }
        self.init(
            isFullRange ? codes.full : codes.video, isFullRange: isFullRange, bits: bits, layout.columns, layout.rows)
    }

    private init(_ code: PixelFormat, isFullRange: Bool, bits: Int32, _ columns: Int32, _ rows: Int32) {
        self.code = code
        self.isFullRange = isFullRange
        self.bits = bits
        self.columns = columns
        self.rows = rows
    }

    /// The nearest format that images can be scaled to: 4:2:0 with 8 or 10 bits.
    var scalable: ImageFormat {
        bits == 8
            ? ImageFormat(isFullRange ? .i420FullRange : .i420, isFullRange: isFullRange, bits: 8, 2, 2)
            : ImageFormat(isFullRange ? .x420FullRange : .x420, isFullRange: isFullRange, bits: 10, 2, 2)
    }

    /// The intermediate format of RGB pictures that are scaled.
    static let scaledRGB = ImageFormat(.i420FullRange, isFullRange: true, bits: 8, 2, 2)
}
