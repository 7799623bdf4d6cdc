/// The position of the session's picture in the encoded one: at the top left, extended to a size that 4:2:0 allows.
struct PictureGeometry: Hashable, Sendable {
    /// The session's size in pixels.
    let width: Int
    let height: Int
    /// Whether frames have two fields with alternating rows. Each field then has 4:2:0 of its own.
    var isInterlaced = false

    var encodedWidth: Int { (width + 1) & ~1 }
    var encodedHeight: Int { (height + 1) & ~1 }
    /// The units of the stream's cropping, in columns and rows (ITU-T H.264 7.4.2.1.1).
    var columnUnit: Int { 2 }
    var rowUnit: Int { isInterlaced ? 4 : 2 }
    var macroblocksWide: Int { (encodedWidth + 15) / 16 }
    /// In interlaced frames, the macroblock rows of the two fields form pairs.
    var macroblocksHigh: Int { isInterlaced ? (encodedHeight + 31) / 32 * 2 : (encodedHeight + 15) / 16 }
}
