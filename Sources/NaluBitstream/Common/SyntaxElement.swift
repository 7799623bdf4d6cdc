/// A syntax element: its name in the standard's own spelling (ITU-T H.264 7.3), and its value.
public struct SyntaxElement: Hashable, Sendable {
    /// The name, for example `log2_max_frame_num_minus4`. All elements of a loop have the same name.
    public let name: String
    /// The value. Flags are 0 or 1.
    public let value: Int
}
