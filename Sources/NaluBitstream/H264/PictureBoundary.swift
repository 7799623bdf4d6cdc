/// Detects where a slice begins another picture than the slice before it (ITU-T H.264 7.4.1.2.4).
public enum PictureBoundary {
    /// Returns whether `next` begins another picture than `previous`. Both are slices of primary coded pictures, in
    /// decoding order without another such slice in between. `picOrderCountType` is that of the SPS of `next`.
    public static func lies(between previous: SliceHeader, and next: SliceHeader, picOrderCountType: Int) -> Bool {
        let isReference = (previous.unitHeader.isReference, next.unitHeader.isReference)
        return previous.frameNumber != next.frameNumber
            || previous.start.pictureParameterSetID != next.start.pictureParameterSetID
            || previous.isField != next.isField || previous.isBottomField != next.isBottomField
            || isReference.0 != isReference.1 || previous.isIDR != next.isIDR
            || previous.idrPictureID != next.idrPictureID
            || (picOrderCountType == 0 && hasOtherOrder(previous, next))
            || (picOrderCountType == 1 && hasOtherDelta(previous, next))
    }

    private static func hasOtherOrder(_ previous: SliceHeader, _ next: SliceHeader) -> Bool {
        previous.picOrderCountLSB != next.picOrderCountLSB
            || previous.picOrderCountDeltaBottom != next.picOrderCountDeltaBottom
    }

    private static func hasOtherDelta(_ previous: SliceHeader, _ next: SliceHeader) -> Bool {
        previous.picOrderCountDelta0 != next.picOrderCountDelta0
            || previous.picOrderCountDelta1 != next.picOrderCountDelta1
    }
}
