/// What the first slice of a picture that can be read says of it.
struct PictureFacts {
    var structure = FrameRecord.Structure.frame
    /// `frame_num`; H.265 has none.
    var frameNumber: Int?
    var pictureOrderCount: Int
    /// Whether orders are counted from zero again from here.
    var restartsOrder: Bool
    /// What H.265 also says.
    var layer: TemporalPlace?
}
