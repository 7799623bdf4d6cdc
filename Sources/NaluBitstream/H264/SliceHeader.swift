/// A slice header (ITU-T H.264 7.3.3) up to the QP.
public struct SliceHeader: Hashable, Sendable {
    /// The fields that can be read without the parameter sets.
    public let start: SliceStart
    /// The header byte of the NAL unit.
    public let unitHeader: NALUnitHeader
    /// `frame_num`.
    public package(set) var frameNumber = 0
    /// Whether the slice belongs to a single field.
    public package(set) var isField = false
    /// Whether that field is the bottom field.
    public package(set) var isBottomField = false
    /// `idr_pic_id`, 0 to 65535; nil for non-IDR pictures.
    public package(set) var idrPictureID: Int?
    /// `pic_order_cnt_lsb`; 0 if the picture order count type is not 0.
    public package(set) var picOrderCountLSB = 0
    /// `delta_pic_order_cnt_bottom`.
    public package(set) var picOrderCountDeltaBottom = 0
    /// `delta_pic_order_cnt[0]`.
    public package(set) var picOrderCountDelta0 = 0
    /// `delta_pic_order_cnt[1]`.
    public package(set) var picOrderCountDelta1 = 0
    /// `redundant_pic_cnt`, 0 for the primary coded picture.
    public package(set) var redundantPictureCount = 0
    /// Whether the picture removes all references and restarts the picture order (memory management operation 5).
    public package(set) var resetsReferences = false
    /// The QP that the slice starts from: `26 + pic_init_qp_minus26 + slice_qp_delta`.
    public package(set) var qp = 0

    /// Reads the header of a slice or data partition A, with header byte and emulation prevention bytes, without start
    /// code. The first 4096 bytes of the NAL unit suffice.
    ///
    /// The parameter sets are those that ``SliceStart`` refers to. Throws `.badData` if the NAL unit is not such a
    /// slice, is cut off, or holds a value that the standard forbids.
    public init(
        parsing unit: UnsafeRawBufferPointer, pictureParameterSet: PictureParameterSet,
        sequenceParameterSet: SequenceParameterSet
    ) throws(NaluError) {
        var reader = unsafe try BitReader(sliceHeaderOf: unit)
        try self.init(
            SliceStart(in: &reader), in: &reader, pictureParameterSet: pictureParameterSet,
            sequenceParameterSet: sequenceParameterSet)
    }

    /// Reads the rest of the header after `start`.
    init(
        _ start: SliceStart, in reader: inout BitReader, pictureParameterSet: PictureParameterSet,
        sequenceParameterSet: SequenceParameterSet
    ) throws(NaluError) {
        let syntax = try SliceHeaderSyntax(start, in: &reader, pictureParameterSet, sequenceParameterSet)
        self.start = start
        unitHeader = syntax.unitHeader
        frameNumber = syntax.frameNumber
        isField = syntax.isField
        isBottomField = syntax.isBottomField
        idrPictureID = syntax.isIDR ? syntax.idrPictureID : nil
        picOrderCountLSB = syntax.picOrderCountLSB
        picOrderCountDeltaBottom = syntax.picOrderCountDeltaBottom
        picOrderCountDelta0 = syntax.picOrderCountDelta0
        picOrderCountDelta1 = syntax.picOrderCountDelta1
        redundantPictureCount = syntax.redundantPictureCount
        resetsReferences = syntax.marking.resetsReferences
        qp = pictureParameterSet.initialQP + syntax.qpDelta
    }

    /// Reads the header of a slice. Throws as
    /// ``init(parsing:pictureParameterSet:sequenceParameterSet:)-(UnsafeRawBufferPointer,_,_)`` does.
    public init(
        parsing unit: [UInt8], pictureParameterSet: PictureParameterSet, sequenceParameterSet: SequenceParameterSet
    ) throws(NaluError) {
        self = unsafe try unit.withBytes { (bytes) throws(NaluError) in
            unsafe try SliceHeader(
                parsing: bytes, pictureParameterSet: pictureParameterSet, sequenceParameterSet: sequenceParameterSet)
        }
    }

    /// Whether the slice belongs to an IDR picture.
    public var isIDR: Bool { unitHeader.type == .sliceIDR }
}
