/// An H.265 slice segment header (ITU-T H.265 7.3.6.1) up to the picture order count.
public struct HEVCSliceHeader: Hashable, Sendable {
    /// The fields that can be read without the parameter sets.
    public let start: HEVCSliceStart
    /// Whether the segment takes the fields that follow from the slice segment before it.
    public let isDependent: Bool
    /// `slice_segment_address`: the first coding tree block, 0 for the first segment.
    public let address: Int
    /// I, P or B; I for dependent segments, which do not say.
    public let type: SliceType
    /// Whether the picture is shown (`pic_output_flag`).
    public let isShown: Bool
    /// `slice_pic_order_cnt_lsb`; 0 for IDR pictures and dependent segments.
    public let picOrderCountLSB: Int

    /// Reads the header of a slice segment: the NAL unit's header first, no start code, emulation prevention bytes in place.
    /// `unit` may be its first bytes only; 64 are enough.
    ///
    /// The parameter sets are those that ``HEVCSliceStart`` asks for. Throws `.badData` when the unit is no slice segment,
    /// is cut off, or holds a value that the standard forbids.
    public init(
        parsing unit: UnsafeRawBufferPointer,
        pictureParameterSet: HEVCPictureParameterSet,
        sequenceParameterSet: HEVCSequenceParameterSet
    ) throws(NaluError) {
        var reader = unsafe try BitReader(hevcSliceHeaderOf: unit)
        start = try HEVCSliceStart(in: &reader)
        var isDependent = false
        var address = 0
        if !start.isFirstOfPicture {
            if pictureParameterSet.hasDependentSegments {
                isDependent = try reader.flag("dependent_slice_segment_flag")
            }
            let count = sequenceParameterSet.treeBlockCount
            address = Int(try reader.bits(Int.bitWidth - (count - 1).leadingZeroBitCount, "slice_segment_address"))
            guard (1..<count).contains(address) else {
                throw NaluError(.badData, "slice_segment_address is \(address), expected 1 to \(count - 1)")
            }
        }
        self.isDependent = isDependent
        self.address = address
        guard !isDependent else {
            (type, isShown, picOrderCountLSB) = (.i, true, 0)
            return
        }
        _ = try reader.bits(pictureParameterSet.extraHeaderBits, "slice_reserved_flag")
        let types: [SliceType] = [.b, .p, .i]
        type = types[try reader.unsigned("slice_type", 0...2)]
        isShown = pictureParameterSet.hasOutputFlag ? try reader.flag("pic_output_flag") : true
        if sequenceParameterSet.separateColourPlanes {
            _ = try reader.bits(2, "colour_plane_id")
        }
        picOrderCountLSB =
            start.unitHeader.type.isIDR
            ? 0 : Int(try reader.bits(sequenceParameterSet.picOrderCountBits, "slice_pic_order_cnt_lsb"))
    }

    /// Reads the header of a slice segment. Throws as
    /// ``init(parsing:pictureParameterSet:sequenceParameterSet:)-(UnsafeRawBufferPointer,_,_)`` does.
    public init(
        parsing unit: [UInt8],
        pictureParameterSet: HEVCPictureParameterSet,
        sequenceParameterSet: HEVCSequenceParameterSet
    ) throws(NaluError) {
        self = unsafe try unit.withBytes { (bytes) throws(NaluError) in
            unsafe try HEVCSliceHeader(
                parsing: bytes, pictureParameterSet: pictureParameterSet, sequenceParameterSet: sequenceParameterSet)
        }
    }

    public var unitHeader: HEVCUnitHeader { start.unitHeader }
    public var isFirstOfPicture: Bool { start.isFirstOfPicture }
}
