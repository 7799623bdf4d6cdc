/// What is known of an access unit while its NAL units come in.
struct PictureUnderway<Content: StreamPicture> {
    /// Where it begins among the bytes that are kept.
    var start = 0
    /// The time given with the bytes that it begins in.
    var mark: TimeMark?
    var position: Int?
    var hasUnits = false
    var hasSequence = false
    var isRecoveryPoint = false
    /// Too large: nothing is kept of it.
    var isDropped = false
    /// Slices, also unreadable and redundant ones.
    var sliceCount = 0
    /// What its primary slices say.
    var content = Content()
    var place = PicturePlace()
    var format: FormatDescription?
    /// Where new parameter sets stand among the bytes that are kept: before what may be a second field, no slice yet behind
    /// them.
    var sets: [Range<Int>] = []
    /// Its second field has other parameter sets than its first, which stand between them.
    var hasInnerSets = false

    /// What stood between two fields belongs to both.
    mutating func take(_ other: PictureUnderway) {
        isRecoveryPoint = isRecoveryPoint || other.isRecoveryPoint
        hasSequence = hasSequence || other.hasSequence
        isDropped = isDropped || other.isDropped
        sets += other.sets
    }

    /// A slice of it follows its sets, which belong between its fields.
    mutating func keepSets() {
        hasInnerSets = hasInnerSets || !sets.isEmpty
        sets = []
    }

    /// Decoding can start with it.
    var isStart: Bool { content.isRandomAccess || isRecoveryPoint || (content.isIntra && hasSequence) }
}

/// The time that was given with some bytes of the stream.
struct TimeMark {
    let range: Range<Int>
    let number: Int
    let time: MediaTime?
}
