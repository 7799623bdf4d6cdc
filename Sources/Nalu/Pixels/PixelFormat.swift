// Samples of more than 8 bits are words. The formats store them with the lower byte first, and the code reads them
// unconverted.
#if _endian(big)
    #error("Big-endian processors are not supported: docs/platforms.md")
#endif

/// The memory layout of a frame's pixels: one of CoreVideo's four-character codes.
///
/// Bytes are named in memory order. The corresponding C constants are `NALU_PIXEL_FORMAT_*`. A value can be an
/// unsupported code; see ``isSupported``.
public struct PixelFormat: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    // Without this operator, `==` and every `switch` use the standard library's comparison of any two RawRepresentable
    // values. In unoptimised builds, that comparison costs a third of the time of the Swift tests.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// `'420v'`: 4:2:0 in two planes, Y and CbCr interleaved, video range (Y 16...235, chroma 16...240).
    public static let nv12 = PixelFormat(rawValue: 0x3432_3076)
    /// `'420f'`: ``nv12`` in full range, 0...255.
    public static let nv12FullRange = PixelFormat(rawValue: 0x3432_3066)
    /// `'y420'`: 4:2:0 in three planes, Y, Cb and Cr, video range.
    public static let i420 = PixelFormat(rawValue: 0x7934_3230)
    /// `'f420'`: ``i420`` in full range.
    public static let i420FullRange = PixelFormat(rawValue: 0x6634_3230)
    /// `'BGRA'`: B G R A, 8 bits each, full range. Alpha is not encoded.
    public static let bgra = PixelFormat(rawValue: 0x4247_5241)
    /// `'RGBA'`: R G B A, 8 bits each, full range. Alpha is not encoded.
    public static let rgba = PixelFormat(rawValue: 0x5247_4241)
    /// Code 32: A R G B, 8 bits each, full range. Alpha is not encoded.
    public static let argb = PixelFormat(rawValue: 0x0000_0020)
    /// `'ABGR'`: A B G R, 8 bits each, full range. Alpha is not encoded.
    public static let abgr = PixelFormat(rawValue: 0x4142_4752)
    /// Code 24: R G B, three bytes per pixel.
    public static let rgb24 = PixelFormat(rawValue: 0x0000_0018)
    /// `'24BG'`: B G R, three bytes per pixel.
    public static let bgr24 = PixelFormat(rawValue: 0x3234_4247)
    /// `'2vuy'`: 4:2:2 in one plane, Cb Y Cr Y, video range. An odd width holds a whole last pair.
    public static let uyvy = PixelFormat(rawValue: 0x3276_7579)
    /// `'yuvs'`: 4:2:2 in one plane, Y Cb Y Cr, video range. An odd width holds a whole last pair.
    public static let yuyv = PixelFormat(rawValue: 0x7975_7673)
    /// `'L008'`: 8-bit luma only, full range (0 black, 255 white).
    public static let gray8 = PixelFormat(rawValue: 0x4c30_3038)

    /// `'x420'`: 4:2:0 in two planes like `'420v'`, 10 bits per sample, video range (Y 64...940, chroma 64...960). A
    /// sample is a 16-bit word in the machine's byte order, and its 10 bits are the highest ones. The other 6 bits are
    /// ignored; Nalu writes them as 0. Rows begin at even addresses.
    public static let x420 = PixelFormat(rawValue: 0x7834_3230)
    /// `'xf20'`: ``x420`` in full range, 0...1023.
    public static let x420FullRange = PixelFormat(rawValue: 0x7866_3230)
    /// `'422v'`: 4:2:2 in two planes, Y and CbCr interleaved, video range.
    public static let nv16 = PixelFormat(rawValue: 0x3432_3276)
    /// `'422f'`: ``nv16`` in full range.
    public static let nv16FullRange = PixelFormat(rawValue: 0x3432_3266)
    /// `'444v'`: 4:4:4 in two planes, Y and CbCr interleaved, video range.
    public static let nv24 = PixelFormat(rawValue: 0x3434_3476)
    /// `'444f'`: ``nv24`` in full range.
    public static let nv24FullRange = PixelFormat(rawValue: 0x3434_3466)
    /// `'x422'`: 4:2:2 in two planes, 10 bits in 16-bit words as in ``x420``, video range.
    public static let x422 = PixelFormat(rawValue: 0x7834_3232)
    /// `'xf22'`: ``x422`` in full range.
    public static let x422FullRange = PixelFormat(rawValue: 0x7866_3232)
    /// `'x444'`: 4:4:4 in two planes, 10 bits in 16-bit words as in ``x420``, video range.
    public static let x444 = PixelFormat(rawValue: 0x7834_3434)
    /// `'xf44'`: ``x444`` in full range.
    public static let x444FullRange = PixelFormat(rawValue: 0x7866_3434)
    /// `'sv20'`: 4:2:0 in two planes, 16 bits per sample, video range (Y 4096...60160, chroma 4096...61440). A sample is
    /// a 16-bit word in the machine's byte order; rows begin at even addresses. Decoders return 12 and 14 bits in the
    /// highest bits of this format.
    public static let sv20 = PixelFormat(rawValue: 0x7376_3230)
    /// `'sf20'`: ``sv20`` in full range, 0...65535.
    public static let sv20FullRange = PixelFormat(rawValue: 0x7366_3230)
    /// `'sv22'`: 4:2:2 with 16 bits per sample as in ``sv20``.
    public static let sv22 = PixelFormat(rawValue: 0x7376_3232)
    /// `'sf22'`: ``sv22`` in full range.
    public static let sv22FullRange = PixelFormat(rawValue: 0x7366_3232)
    /// `'sv44'`: 4:4:4 with 16 bits per sample as in ``sv20``.
    public static let sv44 = PixelFormat(rawValue: 0x7376_3434)
    /// `'sf44'`: ``sv44`` in full range.
    public static let sv44FullRange = PixelFormat(rawValue: 0x7366_3434)
    /// The input of a 10-bit encoder: ``x420`` with the 10 bits in the lowest bits. Clients cannot name it.
    static let encoder10 = PixelFormat(rawValue: 0x6531_3076)
    /// The input of a 10-bit encoder in full range.
    static let encoder10FullRange = PixelFormat(rawValue: 0x6531_3066)

    /// Every format that Nalu reads.
    public static let supported: [PixelFormat] = [
        .nv12, .nv12FullRange, .i420, .i420FullRange, .bgra, .rgba, .argb, .abgr, .rgb24, .bgr24, .uyvy, .yuyv, .gray8,
        .x420, .x420FullRange, .nv16, .nv16FullRange, .nv24, .nv24FullRange, .x422, .x422FullRange, .x444,
        .x444FullRange, .sv20, .sv20FullRange, .sv22, .sv22FullRange, .sv44, .sv44FullRange,
    ]
}

extension PixelFormat {
    /// The kind of pixels, which decides how a frame is converted.
    enum Family {
        case biplanar420
        case planar420
        /// Two planes of 4:2:2, 4:4:4 or 16 bits. A transfer reads these formats and does not write them.
        case biplanarSource
        case rgb
        case packed422
        case gray
    }

    /// The kind of pixels; nil for an unsupported code.
    var family: Family? {
        switch self {
        case .nv12, .nv12FullRange, .x420, .x420FullRange, .encoder10, .encoder10FullRange: .biplanar420
        case .i420, .i420FullRange: .planar420
        case .nv16, .nv16FullRange, .nv24, .nv24FullRange, .x422, .x422FullRange, .x444, .x444FullRange, .sv20,
            .sv20FullRange, .sv22, .sv22FullRange, .sv44, .sv44FullRange:
            .biplanarSource
        case .bgra, .rgba, .argb, .abgr, .rgb24, .bgr24: .rgb
        case .uyvy, .yuyv: .packed422
        case .gray8: .gray
        default: nil
        }
    }

    /// Whether Nalu reads frames of this format.
    public var isSupported: Bool {
        self != .encoder10 && self != .encoder10FullRange && family != nil
    }

    /// Bits per component: 8; 10 for `'x420'` and the other formats whose codes begin with x; 16 for those that begin
    /// with s.
    public var bitDepth: Int {
        switch self {
        case .x420, .x420FullRange, .x422, .x422FullRange, .x444, .x444FullRange, .encoder10, .encoder10FullRange: 10
        case .sv20, .sv20FullRange, .sv22, .sv22FullRange, .sv44, .sv44FullRange: 16
        default: 8
        }
    }

    /// Bytes per component: 1, or 2 for more than 8 bits.
    var bytesPerSample: Int { bitDepth > 8 ? 2 : 1 }

    /// The position of a sample's lowest bit in its word.
    var sampleShift: Int { bitDepth == 10 && isSupported ? 6 : 0 }

    /// The number of pixels in a row that share a chroma sample: 2 for 4:2:0 and 4:2:2, otherwise 1.
    public var chromaColumns: Int {
        switch self {
        case .nv24, .nv24FullRange, .x444, .x444FullRange, .sv44, .sv44FullRange: 1
        default: family == .rgb || family == .gray ? 1 : 2
        }
    }

    /// The number of rows that share a chroma sample: 2 for 4:2:0, otherwise 1.
    public var chromaRows: Int {
        switch self {
        case .sv20, .sv20FullRange: 2
        default: is420 ? 2 : 1
        }
    }

    /// True for `'420v'`, `'420f'`, `'x420'` and `'xf20'`.
    public var isBiplanar420: Bool { family == .biplanar420 }

    /// True for `'y420'` and `'f420'`.
    public var isPlanar420: Bool { family == .planar420 }

    /// True for the 4:2:0 formats of 8 and 10 bits, those that a transfer can write and an encoder reads.
    public var is420: Bool { isBiplanar420 || isPlanar420 }

    /// True for the 8-bit RGB formats, with and without alpha.
    public var isRGB: Bool { family == .rgb }

    /// True if the components span all values: RGB, gray, `'420f'`, `'f420'`, `'xf20'` and so on.
    public var isFullRange: Bool {
        switch self {
        case .nv12FullRange, .i420FullRange, .x420FullRange, .encoder10FullRange, .nv16FullRange, .nv24FullRange,
            .x422FullRange, .x444FullRange, .sv20FullRange, .sv22FullRange, .sv44FullRange:
            true
        default: isRGB || family == .gray
        }
    }
}

extension PixelFormat {
    /// The four characters, for example `420v`; nil if they are not printable.
    var code: String? {
        let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
        return characters.allSatisfy { (0x20...0x7e).contains($0) } ? String(decoding: characters, as: UTF8.self) : nil
    }
}

extension PixelFormat: CustomStringConvertible {
    /// The code for display: `'420v'`, `24 (RGB)`, or a hexadecimal number if it is not printable.
    public var description: String {
        switch self {
        case .argb: return "32 (ARGB)"
        case .rgb24: return "24 (RGB)"
        default: break
        }
        if let code { return "'\(code)'" }
        let digits = String(rawValue, radix: 16)
        return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
