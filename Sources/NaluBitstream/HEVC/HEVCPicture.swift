/// A slice segment header and the SPS of its picture.
package struct HEVCSlice: StreamSlice {
    package let header: HEVCSliceHeader
    package let sequence: StoredParameterSet<HEVCSequenceParameterSet>

    package init(header: HEVCSliceHeader, sequence: StoredParameterSet<HEVCSequenceParameterSet>) {
        self.header = header
        self.sequence = sequence
    }

    package var isPrimary: Bool { true }
    package var isFirstOfPicture: Bool { header.isFirstOfPicture }
    package var sequenceID: Int { sequence.content.id }
    package var first: PictureSlices.First { .hevc(header) }

    package func elements(ofTiming message: SEIMessage) -> [SyntaxElement] {
        guard sequence.content.hasPictureStructure else { return [] }
        return message.hevcElements { _ in sequence.content }
    }
}

/// The properties of an H.265 picture, collected from its slice segments.
package struct HEVCPicture: StreamPicture {
    private var type: HEVCUnitType?
    /// `slice_pic_order_cnt_lsb` of the last segment that is not dependent.
    private var order: Int?
    package private(set) var isIntra = true
    private var isReference = false

    package init() {}

    package var hasSlices: Bool { type != nil }

    package mutating func add(_ slice: HEVCSlice) {
        let header = slice.header
        if type == nil {
            type = header.unitHeader.type
            isReference =
                !header.unitHeader.type.isSubLayerNonReference
                || header.unitHeader.temporalID < slice.sequence.content.subLayerCount - 1
        }
        guard !header.isDependent else { return }
        order = header.picOrderCountLSB
        isIntra = isIntra && header.type == .i
    }

    /// Whether `slice` begins another picture, even if the first segment of that picture is lost.
    package func isFollowed(by slice: HEVCSlice) -> Bool {
        guard !slice.isFirstOfPicture else { return true }
        guard !slice.header.isDependent, let order else { return false }
        return slice.header.picOrderCountLSB != order || slice.header.unitHeader.type != type
    }

    // In H.265 each field is a picture of its own.
    package var mayHaveSecondField: Bool { false }
    package func isSecondField(_ slice: HEVCSlice) -> Bool { false }
    package mutating func beginSecondField() {}

    package var isRandomAccess: Bool { type?.isRandomAccess == true }

    package func attachments(isRecoveryPoint: Bool, reorders: Bool) -> SampleAttachments {
        SampleAttachments(
            isKey: type?.isIDR == true || type?.isBrokenLink == true,
            isRecoveryPoint: isRecoveryPoint || isRandomAccess, isIntra: isIntra, isReference: isReference,
            precedesEarlier: reorders && isReference && type?.hasNoLeading == false)
    }
}
