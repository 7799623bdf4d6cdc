/// The prediction that a slice's macroblocks may use (ITU-T H.264 table 7-6). The raw value is `slice_type % 5`.
public enum SliceType: Int, Hashable, Sendable {
    /// Prediction from pictures of one list, or within the picture.
    case p = 0
    /// Prediction from pictures of two lists, or within the picture.
    case b = 1
    /// Prediction within the picture only.
    case i = 2
    /// The prediction of P, coded so that streams can be switched here (profile Extended).
    case sp = 3
    /// The prediction of I, coded so that streams can be switched here (profile Extended).
    case si = 4

    /// Whether the slice refers to no other picture.
    public var isIntra: Bool { self == .i || self == .si }
}
