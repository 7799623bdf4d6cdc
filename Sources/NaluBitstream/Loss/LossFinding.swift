/// What is lost before a sample. The numbers are those of C.
public enum LossFinding: Int32, Sendable {
    case nothing = 0
    /// A picture is missing that other pictures refer to. H.264: this sample or a later one may refer to it. H.265:
    /// this sample can refer to it.
    case referenceMissing = 1
    /// H.265 only: this sample cannot be decoded, and later ones can. It is a leading picture (RASL or RADL) that
    /// can refer to a missing picture. No key frame is needed.
    case leadingPicture = 2
}

/// What the NAL units of a sample say of its picture.
package struct SampleReport {
    /// What is missing for it; `.badData` when no slice can be read.
    package let loss: Result<LossFinding, NaluError>
    /// A slice begins elsewhere than at the first block of its picture or field; with all others gone this still tells.
    package let isSplit: Bool
    /// Where its picture stands in output order; nil if no slice can be read.
    package let place: PicturePlace?
    /// H.265: the picture is a RADL picture, which refers to nothing before its random access picture.
    package let isDecodableLeading: Bool
}

/// What the first slice of a sample says of its picture.
struct SliceReport {
    let finding: LossFinding
    let place: PicturePlace
    var isDecodableLeading = false
}

/// The times of a sample as far as losses show in them.
package struct PictureTimes {
    let seconds: Double
    /// In seconds; not a number where it is not known.
    let duration: Double

    package init(presentation: MediaTime, duration: MediaTime) {
        seconds = presentation.seconds
        self.duration = duration.seconds
    }

    func lastAsLong(as other: PictureTimes) -> Bool {
        abs(duration - other.duration) < 0.1 * duration
    }
}
