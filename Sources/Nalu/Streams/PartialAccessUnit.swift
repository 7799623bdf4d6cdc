/// An access unit whose NAL units are still arriving.
struct PartialAccessUnit<Content: StreamPicture> {
    /// The offset of the access unit among the kept bytes.
    var start = 0
    /// The time of the bytes that the access unit begins in.
    var mark: TimeMark?
    var position: Int?
    var hasUnits = false
    var hasSequence = false
    var isRecoveryPoint = false
    /// The picture timing message; for two fields, that of the first.
    var timing: SEIMessage?
    var fields = DisplayedFields.frame
    /// Whether the access unit is too large, so that nothing is kept of it.
    var isDropped = false
    /// The number of slices, including unreadable and redundant ones.
    var sliceCount = 0
    /// The properties of the primary slices.
    var content = Content()
    var place = PicturePlace()
    var format: FormatDescription?
    /// The ranges of new parameter sets among the kept bytes. They stand before a possible second field, and no slice
    /// follows them yet.
    var sets: [Range<Int>] = []
    /// Whether the second field has other parameter sets than the first, which stand between the fields.
    var hasInnerSets = false

    /// Adds the NAL units before another slice of the same picture or frame.
    mutating func take(_ other: PartialAccessUnit) {
        isRecoveryPoint = isRecoveryPoint || other.isRecoveryPoint
        hasSequence = hasSequence || other.hasSequence
        isDropped = isDropped || other.isDropped
        timing = timing ?? other.timing
        sets += other.sets
    }

    /// Keeps the parameter sets, because a slice of the same picture follows them: they belong between the fields.
    mutating func keepSets() {
        hasInnerSets = hasInnerSets || !sets.isEmpty
        sets = []
    }

    /// Whether decoding can start with the picture.
    var isStart: Bool { content.isRandomAccess || isRecoveryPoint || (content.isIntra && hasSequence) }
}

/// The time that was passed with some bytes of the stream.
struct TimeMark {
    let range: Range<Int>
    let number: Int
    let time: MediaTime?
}
