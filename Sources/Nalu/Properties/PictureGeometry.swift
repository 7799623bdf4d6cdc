/// How the session's picture lies in the one that is encoded: at the top left, filled up to what 4:2:0 can have.
struct PictureGeometry: Hashable, Sendable {
    /// The session's size.
    let width: Int
    let height: Int
    /// Frames have two fields, which share the rows out; each has 4:2:0 of its own.
    var isInterlaced = false

    var encodedWidth: Int { (width + 1) & ~1 }
    var encodedHeight: Int { (height + 1) & ~1 }
    /// Columns and rows that a stream's cropping counts in (ITU-T H.264 7.4.2.1.1).
    var columnUnit: Int { 2 }
    var rowUnit: Int { isInterlaced ? 4 : 2 }
    var macroblocksWide: Int { (encodedWidth + 15) / 16 }
    /// Macroblocks of two fields lie in pairs.
    var macroblocksHigh: Int { isInterlaced ? (encodedHeight + 31) / 32 * 2 : (encodedHeight + 15) / 16 }
}
