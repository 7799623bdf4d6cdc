/// How the macroblocks of a slice may be predicted (ITU-T H.264 table 7-6). The raw value is `slice_type % 5`.
public enum SliceType: Int, Hashable, Sendable {
    case p = 0
    case b = 1
    case i = 2
    case sp = 3
    case si = 4

    /// Whether the slice refers to no other picture.
    public var isIntra: Bool { self == .i || self == .si }
}
