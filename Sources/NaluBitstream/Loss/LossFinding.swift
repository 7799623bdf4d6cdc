/// The loss before a sample. The raw values are those of the C constants.
public enum LossFinding: Int32, Sendable {
    case nothing = 0
    /// A picture is missing that other pictures refer to. H.264: this sample or a later one may refer to it. H.265:
    /// this sample can refer to it.
    case referenceMissing = 1
    /// H.265 only: this sample cannot be decoded, and later ones can. It is a leading picture (RASL or RADL) that
    /// can refer to a missing picture. No key frame is needed.
    case leadingPicture = 2
}

/// The picture of a sample, as its NAL units describe it.
package struct SampleReport {
    /// The loss before the sample; `.badData` if no slice can be read.
    package let loss: Result<LossFinding, NaluError>
    /// Whether a slice begins elsewhere than at the first block of its picture or field. One slice suffices to show
    /// this.
    package let isSplit: Bool
    /// The picture's position in output order; nil if no slice can be read.
    package let place: PicturePlace?
    /// Whether the picture is an H.265 RADL picture, which refers to nothing before its random access picture.
    package let isDecodableLeading: Bool
    /// Whether the first slice is one of a field (H.264 only).
    package var isField = false
    /// Whether macroblocks of QP 0 are lossless (H.264 only), see ``SequenceParameterSet/isLosslessAtZero``.
    package var isLosslessAtZero = false
}

/// The picture of a sample, as its first slice describes it.
struct SliceReport {
    let finding: LossFinding
    let place: PicturePlace
    var isDecodableLeading = false
    var isField = false
    var isLosslessAtZero = false
}

/// The times of a sample that reveal losses.
package struct PictureTimes {
    let seconds: Double
    /// The duration of the display in seconds; not a number if unknown.
    let duration: Double

    package init(presentation: MediaTime, duration: MediaTime) {
        seconds = presentation.seconds
        self.duration = duration.seconds
    }

    func lastAsLong(as other: PictureTimes) -> Bool {
        abs(duration - other.duration) < 0.1 * duration
    }
}
