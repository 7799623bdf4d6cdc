/// An H.265 slice segment header (ITU-T H.265 7.3.6.1) up to the reference picture sets.
public struct HEVCSliceHeader: Hashable, Sendable {
    /// The fields that can be read without the parameter sets.
    public let start: HEVCSliceStart
    /// Whether the segment inherits the following fields from the slice segment before it.
    public let isDependent: Bool
    /// `slice_segment_address`: the index of the first coding tree block, 0 for the first segment.
    public let address: Int
    /// I, P or B; I for dependent segments, which have no type.
    public let type: SliceType
    /// Whether the picture is displayed (`pic_output_flag`).
    public let isShown: Bool
    /// `slice_pic_order_cnt_lsb`; 0 for IDR pictures and dependent segments.
    public let picOrderCountLSB: Int
    /// The short-term references kept for this picture and later ones; empty for IDR pictures and dependent segments.
    public let shortTermReferences: HEVCShortTermReferences
    /// The long-term references kept for this picture and later ones; empty for IDR pictures and dependent segments.
    public let longTermReferences: HEVCLongTermReferences

    /// The size limit of the header up to these fields in bytes, with emulation prevention bytes.
    package static let maximumSize = 512

    /// Reads the header of a slice segment, with NAL unit header and emulation prevention bytes, without start code.
    /// The first 512 bytes of the NAL unit suffice.
    ///
    /// The parameter sets are those that ``HEVCSliceStart`` refers to. Throws `.badData` if the NAL unit is not a slice
    /// segment, is cut off, or holds a value that the standard forbids.
    public init(
        parsing unit: UnsafeRawBufferPointer, pictureParameterSet: HEVCPictureParameterSet,
        sequenceParameterSet: HEVCSequenceParameterSet
    ) throws(NaluError) {
        var reader = unsafe try BitReader(hevcSliceHeaderOf: unit)
        try self.init(
            HEVCSliceStart(in: &reader), in: &reader, pictureParameterSet: pictureParameterSet,
            sequenceParameterSet: sequenceParameterSet)
    }

    /// Reads the rest of the header after `start`.
    init(
        _ start: HEVCSliceStart, in reader: inout BitReader, pictureParameterSet: HEVCPictureParameterSet,
        sequenceParameterSet: HEVCSequenceParameterSet
    ) throws(NaluError) {
        self.start = start
        var isDependent = false
        var address = 0
        if !start.isFirstOfPicture {
            if pictureParameterSet.hasDependentSegments {
                isDependent = try reader.flag("dependent_slice_segment_flag")
            }
            let count = sequenceParameterSet.treeBlockCount
            address = Int(try reader.bits(Self.indexBits(count), "slice_segment_address"))
            guard (1..<count).contains(address) else {
                throw NaluError(.badData, "slice_segment_address is \(address); expected 1 to \(count - 1)")
            }
        }
        self.isDependent = isDependent
        self.address = address
        guard !isDependent else {
            (type, isShown, picOrderCountLSB) = (.i, true, 0)
            (shortTermReferences, longTermReferences) = (HEVCShortTermReferences(), HEVCLongTermReferences())
            return
        }
        _ = try reader.bits(pictureParameterSet.extraHeaderBits, "slice_reserved_flag")
        let types: [SliceType] = [.b, .p, .i]
        type = types[try reader.unsigned("slice_type", 0...2)]
        isShown = pictureParameterSet.hasOutputFlag ? try reader.flag("pic_output_flag") : true
        if sequenceParameterSet.separateColourPlanes {
            _ = try reader.bits(2, "colour_plane_id")
        }
        guard !start.unitHeader.type.isIDR else {
            picOrderCountLSB = 0
            (shortTermReferences, longTermReferences) = (HEVCShortTermReferences(), HEVCLongTermReferences())
            return
        }
        picOrderCountLSB = Int(try reader.bits(sequenceParameterSet.picOrderCountBits, "slice_pic_order_cnt_lsb"))
        shortTermReferences = try Self.shortTermReferences(in: &reader, sequenceParameterSet)
        longTermReferences =
            sequenceParameterSet.hasLongTermReferences
            ? try HEVCLongTermReferences(in: &reader, sequenceParameterSet) : HEVCLongTermReferences()
    }

    private static func shortTermReferences(
        in reader: inout BitReader, _ sequence: HEVCSequenceParameterSet
    ) throws(NaluError) -> HEVCShortTermReferences {
        let known = sequence.shortTermReferences
        guard try reader.flag("short_term_ref_pic_set_sps_flag") else {
            return try HEVCShortTermReferences(in: &reader, after: known, isInSlice: true)
        }
        let index = Int(try reader.bits(indexBits(known.count), "short_term_ref_pic_set_idx"))
        guard index < known.count else {
            throw NaluError(
                .badData,
                "a slice uses reference picture set \(index) of the SPS; expected below \(known.count), the number of sets"
            )
        }
        return known[index]
    }

    /// Returns `Ceil(Log2(count))`: the number of bits of an index below `count`.
    static func indexBits(_ count: Int) -> Int {
        count > 1 ? Int.bitWidth - (count - 1).leadingZeroBitCount : 0
    }

    /// Reads the header of a slice segment. Throws as
    /// ``init(parsing:pictureParameterSet:sequenceParameterSet:)-(UnsafeRawBufferPointer,_,_)`` does.
    public init(
        parsing unit: [UInt8], pictureParameterSet: HEVCPictureParameterSet,
        sequenceParameterSet: HEVCSequenceParameterSet
    ) throws(NaluError) {
        self = unsafe try unit.withBytes { (bytes) throws(NaluError) in
            unsafe try HEVCSliceHeader(
                parsing: bytes, pictureParameterSet: pictureParameterSet, sequenceParameterSet: sequenceParameterSet)
        }
    }

    public var unitHeader: HEVCUnitHeader { start.unitHeader }
    public var isFirstOfPicture: Bool { start.isFirstOfPicture }

    /// Whether later pictures derive their picture order count from this one (ITU-T H.265 8.3.1, prevTid0Pic).
    package var isOrderAnchor: Bool {
        let type = unitHeader.type
        return unitHeader.temporalID == 0 && !type.isSkippedLeading && !type.isDecodableLeading
            && !type.isSubLayerNonReference
    }
}
