/// The slices of a sample, which the reader of the sample has parsed. A ``StreamLossDetector`` need not parse them again.
package struct PictureSlices: Sendable {
    /// The header of the picture's first slice.
    package enum First: Sendable {
        case h264(SliceHeader)
        case hevc(HEVCSliceHeader)
    }

    package let first: First
    /// Whether the picture has several slices, see ``SampleReport/isSplit``.
    package let isSplit: Bool
    /// Whether an H.265 sequence ends with the sample.
    package let endsSequence: Bool

    package init(first: First, isSplit: Bool, endsSequence: Bool) {
        self.first = first
        self.isSplit = isSplit
        self.endsSequence = endsSequence
    }
}
