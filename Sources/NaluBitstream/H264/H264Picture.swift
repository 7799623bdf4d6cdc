/// A slice header and the SPS of its picture.
package struct H264Slice: StreamSlice {
    package let header: SliceHeader
    package let sequence: StoredParameterSet<SequenceParameterSet>

    package var isPrimary: Bool { header.redundantPictureCount == 0 }
    package var isFirstOfPicture: Bool { header.start.firstMacroblock == 0 }
    package var sequenceID: Int { sequence.content.id }
    package var first: PictureSlices.First { .h264(header) }

    package func elements(ofTiming message: SEIMessage) -> [SyntaxElement] {
        guard sequence.content.hasPictureStructure else { return [] }
        return message.elements { _ in sequence.content }
    }
}

/// The properties of an H.264 frame, or of a frame's two fields, collected from primary slices.
package struct H264Picture: StreamPicture {
    private var first: SliceHeader?
    private var last: SliceHeader?
    package private(set) var isIntra = true
    private var isReference = false
    /// Whether a slice of the current field or frame begins with macroblock 0.
    private var hasFirstMacroblock = false
    private var isFieldPair = false

    package init() {}

    package var hasSlices: Bool { first != nil }

    package mutating func add(_ slice: H264Slice) {
        let header = slice.header
        if first == nil { first = header }
        last = header
        isIntra = isIntra && header.start.type.isIntra
        isReference = isReference || header.unitHeader.isReference
        hasFirstMacroblock = hasFirstMacroblock || slice.isFirstOfPicture
    }

    package func isFollowed(by slice: H264Slice) -> Bool {
        guard let last else { return false }
        let header = slice.header
        if PictureBoundary.lies(between: last, and: header, picOrderCountType: slice.sequence.content.picOrderCountType)
        {
            return true
        }
        // A second slice with macroblock 0 belongs to another picture, even if the slices in between are lost.
        return slice.isFirstOfPicture && hasFirstMacroblock && !slice.sequence.content.separateColourPlanes
    }

    package mutating func beginSecondField() {
        isFieldPair = true
        hasFirstMacroblock = false
    }

    package var mayHaveSecondField: Bool { first?.isField == true && !isFieldPair }

    /// Whether `slice` begins the second field of a frame whose first field is this picture (ITU-T H.264 3.30). The second
    /// field of an IDR picture should not be of type IDR, but some encoders write it so, and decoders pair both.
    package func isSecondField(_ slice: H264Slice) -> Bool {
        guard mayHaveSecondField, let first else { return false }
        let header = slice.header
        return header.isField && header.isBottomField != first.isBottomField
            && header.frameNumber == first.frameNumber && (!header.isIDR || first.isIDR)
            && (first.unitHeader.isReference || !header.unitHeader.isReference)
    }

    package var isRandomAccess: Bool { first?.isIDR == true }

    package func attachments(isRecoveryPoint: Bool, reorders: Bool) -> SampleAttachments {
        SampleAttachments(
            isKey: isRandomAccess, isRecoveryPoint: isRecoveryPoint, isIntra: isIntra, isReference: isReference,
            precedesEarlier: reorders && isReference && !isRandomAccess)
    }
}

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
