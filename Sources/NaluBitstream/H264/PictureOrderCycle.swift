/// The parameters of picture order count type 1 (ITU-T H.264 7.4.2.1.1).
public struct PictureOrderCycle: Hashable, Sendable {
    /// Whether slices contain no `delta_pic_order_cnt`.
    public package(set) var deltaAlwaysZero = false
    /// `offset_for_non_ref_pic`.
    public package(set) var nonReferenceOffset = 0
    /// `offset_for_top_to_bottom_field`.
    public package(set) var topToBottomOffset = 0
    /// `offset_for_ref_frame`, up to 255 of them.
    public package(set) var referenceOffsets: [Int] = []
}
