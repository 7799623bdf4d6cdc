/// How the macroblocks of a slice may be predicted (ITU-T H.264 table 7-6). The raw value is `slice_type % 5`.
public enum SliceType: Int, Hashable, Sendable {
    /// From earlier pictures of one list, or within the picture.
    case p = 0
    /// From pictures of two lists, or within the picture.
    case b = 1
    /// Within the picture only.
    case i = 2
    /// As P, and coded so that streams can be switched here (profile Extended).
    case sp = 3
    /// As I, and coded so that streams can be switched here (profile Extended).
    case si = 4

    /// Whether the slice refers to no other picture.
    public var isIntra: Bool { self == .i || self == .si }
}
