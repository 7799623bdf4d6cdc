/// One syntax element as it was read: its name in the standard's own spelling (ITU-T H.264 7.3), and its value.
public struct SyntaxElement: Hashable, Sendable {
    /// For example `log2_max_frame_num_minus4`. Elements of a loop have the same name, one after the other.
    public let name: String
    /// Flags are 0 or 1.
    public let value: Int
}
