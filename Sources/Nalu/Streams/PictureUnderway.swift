/// What is known of an access unit while its NAL units come in.
struct PictureUnderway {
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
    /// Primary slices; the first and the last of them.
    private(set) var first: SliceHeader?
    private(set) var last: SliceHeader?
    private(set) var isIntra = true
    private(set) var isReference = false
    /// A slice of the field or frame under way begins with macroblock 0.
    private(set) var hasFirstMacroblock = false
    private(set) var isFieldPair = false
    var order = 0
    var format: FormatDescription?

    mutating func add(_ slice: SliceHeader) {
        if first == nil { first = slice }
        last = slice
        isIntra = isIntra && slice.start.type.isIntra
        isReference = isReference || slice.unitHeader.isReference
        hasFirstMacroblock = hasFirstMacroblock || slice.start.firstMacroblock == 0
    }

    mutating func beginSecondField() {
        isFieldPair = true
        hasFirstMacroblock = false
    }

    /// What stood between two fields belongs to both.
    mutating func take(_ other: PictureUnderway) {
        isRecoveryPoint = isRecoveryPoint || other.isRecoveryPoint
        hasSequence = hasSequence || other.hasSequence
        isDropped = isDropped || other.isDropped
    }

    var mayHaveSecondField: Bool { first?.isField == true && !isFieldPair }

    /// ITU-T H.264 3.30: whether a slice begins the other field of the frame whose first field this is.
    func isSecondField(_ slice: SliceHeader) -> Bool {
        guard mayHaveSecondField, let first else { return false }
        return slice.isField && slice.isBottomField != first.isBottomField && slice.frameNumber == first.frameNumber
            && !slice.isIDR && (first.unitHeader.isReference || !slice.unitHeader.isReference)
    }

    func attachments(reorders: Bool) -> SampleAttachments {
        var flags: SampleAttachments = []
        let isKey = first?.isIDR == true
        if !isKey { flags.insert(.notSync) }
        if !isKey, isRecoveryPoint { flags.insert(.partialSync) }
        if !isIntra { flags.insert(.dependsOnOthers) }
        if isReference { flags.insert(.isDependedOnByOthers) }
        if reorders, isReference, !isKey { flags.insert(.earlierDisplayTimesAllowed) }
        return flags
    }
}
