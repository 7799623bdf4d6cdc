internal import Nalu

/// What a slice says of its picture, in H.264 and H.265 alike.
struct SliceFacts {
    /// Nil where the header cannot be read.
    var type: SliceType?
    /// Of a picture at which decoding can begin.
    var access: PictureKind?
    /// Whether others may refer to the picture.
    var isReference = false
    /// The quantiser that the slice starts from.
    var qp: Int?
    /// Of the first slice of a picture that can be read.
    var picture: PictureFacts?
}
