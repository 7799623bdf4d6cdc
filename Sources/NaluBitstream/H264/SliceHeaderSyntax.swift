/// Every element of a slice header (ITU-T H.264 7.3.3), as a value that can be edited and written again.
///
/// The parameter sets decide which elements the header contains. The other elements keep their initial values and are
/// not written.
package struct SliceHeaderSyntax: Sendable {
    /// The header byte of the NAL unit. If its `nal_ref_idc` is 0, the slice header has no ``marking``.
    package var unitHeader: NALUnitHeader
    package var start: SliceStart
    /// `colour_plane_id`.
    package var colourPlane: UInt32 = 0
    /// `frame_num`.
    package var frameNumber = 0
    /// `field_pic_flag`.
    package var isField = false
    /// `bottom_field_flag`.
    package var isBottomField = false
    /// `idr_pic_id`, 0 to 65535.
    package var idrPictureID = 0
    /// `pic_order_cnt_lsb`.
    package var picOrderCountLSB = 0
    /// `delta_pic_order_cnt_bottom`.
    package var picOrderCountDeltaBottom = 0
    /// `delta_pic_order_cnt[0]`.
    package var picOrderCountDelta0 = 0
    /// `delta_pic_order_cnt[1]`.
    package var picOrderCountDelta1 = 0
    /// `redundant_pic_cnt`.
    package var redundantPictureCount = 0
    /// `direct_spatial_mv_pred_flag`.
    package var predictsDirectSpatially = false
    /// The number of references in each list, if the slice has `num_ref_idx_active_override_flag`; nil for the numbers
    /// of the PPS.
    package var referenceCounts: (list0: Int, list1: Int)?
    package var modification0 = ReferenceListModification()
    package var modification1 = ReferenceListModification()
    /// The bit range of `pred_weight_table` in the source header. The table is copied, so the reference counts must not
    /// change.
    package private(set) var weights = 0..<0
    package var marking = ReferenceMarking()
    /// `cabac_init_idc`.
    package var cabacInitIDC = 0
    /// `slice_qp_delta`.
    package var qpDelta = 0
    /// The bit range of the source header after ``qpDelta``, which is copied.
    package private(set) var tail = 0..<0

    /// Whether the slice belongs to an IDR picture.
    package var isIDR: Bool { unitHeader.type == .sliceIDR }

    /// Reads the header up to ``qpDelta``. `reader` is positioned after `start`.
    init(
        _ start: SliceStart, in reader: inout BitReader, _ picture: PictureParameterSet,
        _ sequence: SequenceParameterSet
    ) throws(NaluError) {
        unitHeader = NALUnitHeader(rawValue: reader.bytes[0])
        self.start = start
        try readPicture(in: &reader, picture, sequence)
        let counts = try readReferences(in: &reader, picture)
        if weighs(picture) {
            let first = reader.position
            try Self.skipWeights(counts, hasChroma: sequence.chromaArrayType != 0, in: &reader)
            weights = first..<reader.position
        }
        if unitHeader.isReference {
            marking = try ReferenceMarking(isIDR: isIDR, in: &reader)
        }
        if hasCABACInitIDC(picture) {
            cabacInitIDC = try reader.unsigned("cabac_init_idc", 0...2)
        }
        qpDelta = try reader.signed("slice_qp_delta", -87...87)
    }

    private func weighs(_ picture: PictureParameterSet) -> Bool {
        let isPredicted = start.type == .p || start.type == .sp
        return isPredicted
            ? picture.usesWeightedPrediction : start.type == .b && picture.weightedBipredictionIDC == 1
    }

    private func hasCABACInitIDC(_ picture: PictureParameterSet) -> Bool {
        picture.usesCABAC && !start.type.isIntra
    }
}

// MARK: - Reading

extension SliceHeaderSyntax {
    private mutating func readPicture(
        in reader: inout BitReader, _ picture: PictureParameterSet, _ sequence: SequenceParameterSet
    ) throws(NaluError) {
        if sequence.separateColourPlanes {
            colourPlane = try reader.bits(2, "colour_plane_id")
        }
        frameNumber = Int(try reader.bits(sequence.frameNumberBits, "frame_num"))
        if !sequence.frameMbsOnly {
            isField = try reader.flag("field_pic_flag")
            isBottomField = isField ? try reader.flag("bottom_field_flag") : false
        }
        if isIDR {
            idrPictureID = try reader.unsigned("idr_pic_id", 0...65535)
        }
        if sequence.picOrderCountType == 0 {
            picOrderCountLSB = Int(try reader.bits(sequence.picOrderCountBits, "pic_order_cnt_lsb"))
            if picture.hasBottomFieldOrder, !isField {
                picOrderCountDeltaBottom = try reader.signed("delta_pic_order_cnt_bottom", BitReader.anySigned)
            }
        } else if let cycle = sequence.picOrderCycle, !cycle.deltaAlwaysZero {
            picOrderCountDelta0 = try reader.signed("delta_pic_order_cnt[0]", BitReader.anySigned)
            if picture.hasBottomFieldOrder, !isField {
                picOrderCountDelta1 = try reader.signed("delta_pic_order_cnt[1]", BitReader.anySigned)
            }
        }
        if picture.hasRedundantPictures {
            redundantPictureCount = try reader.unsigned("redundant_pic_cnt", 0...127)
        }
    }

    /// Reads the elements about reference lists, and returns the number of references in each list.
    private mutating func readReferences(
        in reader: inout BitReader, _ picture: PictureParameterSet
    ) throws(NaluError) -> (list0: Int, list1: Int) {
        guard !start.type.isIntra else { return (0, 0) }
        let isB = start.type == .b
        if isB {
            predictsDirectSpatially = try reader.flag("direct_spatial_mv_pred_flag")
        }
        var counts = (list0: picture.defaultReferenceCount0, list1: isB ? picture.defaultReferenceCount1 : 0)
        if try reader.flag("num_ref_idx_active_override_flag") {
            counts.list0 = 1 + (try reader.unsigned("num_ref_idx_l0_active_minus1", 0...31))
            if isB {
                counts.list1 = 1 + (try reader.unsigned("num_ref_idx_l1_active_minus1", 0...31))
            }
            referenceCounts = counts
        }
        modification0 = try ReferenceListModification(in: &reader)
        if isB {
            modification1 = try ReferenceListModification(in: &reader)
        }
        return counts
    }

    private static func skipWeights(
        _ counts: (list0: Int, list1: Int), hasChroma: Bool, in reader: inout BitReader
    ) throws(NaluError) {
        _ = try reader.unsigned("luma_log2_weight_denom", 0...7)
        if hasChroma {
            _ = try reader.unsigned("chroma_log2_weight_denom", 0...7)
        }
        for _ in 0..<(counts.list0 + counts.list1) {
            if try reader.flag("luma_weight_flag") {
                _ = try reader.signed("luma_weight", -128...127)
                _ = try reader.signed("luma_offset", -128...127)
            }
            if hasChroma, try reader.flag("chroma_weight_flag") {
                for _ in 0..<2 {
                    _ = try reader.signed("chroma_weight", -128...127)
                    _ = try reader.signed("chroma_offset", -128...127)
                }
            }
        }
    }

    /// Reads the elements between ``qpDelta`` and the slice data.
    mutating func readTail(
        in reader: inout BitReader, _ picture: PictureParameterSet, _ sequence: SequenceParameterSet
    ) throws(NaluError) {
        let first = reader.position
        if start.type == .sp {
            _ = try reader.flag("sp_for_switch_flag")
        }
        if start.type == .sp || start.type == .si {
            _ = try reader.signed("slice_qs_delta", -51...51)
        }
        if picture.hasDeblockingControl, try reader.unsigned("disable_deblocking_filter_idc", 0...2) != 1 {
            _ = try reader.signed("slice_alpha_c0_offset_div2", -6...6)
            _ = try reader.signed("slice_beta_offset_div2", -6...6)
        }
        try reader.skip(picture.sliceGroupCycleBits(sequence), "slice_group_change_cycle")
        tail = first..<reader.position
    }
}

// MARK: - Writing

extension SliceHeaderSyntax {
    /// Writes the NAL unit header and the slice header. `source` contains the bytes that the header was read from.
    /// `frameNumberBits` is the size of `frame_num` in the SPS of the result.
    func write<Sink: BitSink>(
        to sink: inout Sink, source: [UInt8], _ picture: PictureParameterSet, _ sequence: SequenceParameterSet,
        frameNumberBits: Int
    ) {
        sink.append(UInt32(unitHeader.rawValue), width: 8)
        sink.append(unsigned: UInt32(start.firstMacroblock))
        sink.append(unsigned: UInt32(start.type.rawValue + (start.isTypeOfWholePicture ? 5 : 0)))
        sink.append(unsigned: UInt32(start.pictureParameterSetID))
        writePicture(to: &sink, picture, sequence, frameNumberBits: frameNumberBits)
        writeReferences(to: &sink)
        sink.append(source, bits: weights)
        if unitHeader.isReference {
            marking.write(isIDR: isIDR, to: &sink)
        }
        if hasCABACInitIDC(picture) {
            sink.append(unsigned: UInt32(cabacInitIDC))
        }
        sink.append(signed: Int32(qpDelta))
        sink.append(source, bits: tail)
    }

    private func writePicture<Sink: BitSink>(
        to sink: inout Sink, _ picture: PictureParameterSet, _ sequence: SequenceParameterSet, frameNumberBits: Int
    ) {
        if sequence.separateColourPlanes {
            sink.append(colourPlane, width: 2)
        }
        sink.append(UInt32(truncatingIfNeeded: frameNumber), width: frameNumberBits)
        if !sequence.frameMbsOnly {
            sink.append(isField)
            if isField { sink.append(isBottomField) }
        }
        if isIDR {
            sink.append(unsigned: UInt32(idrPictureID))
        }
        if sequence.picOrderCountType == 0 {
            sink.append(UInt32(picOrderCountLSB), width: sequence.picOrderCountBits)
            if picture.hasBottomFieldOrder, !isField {
                sink.append(signed: Int32(picOrderCountDeltaBottom))
            }
        } else if let cycle = sequence.picOrderCycle, !cycle.deltaAlwaysZero {
            sink.append(signed: Int32(picOrderCountDelta0))
            if picture.hasBottomFieldOrder, !isField {
                sink.append(signed: Int32(picOrderCountDelta1))
            }
        }
        if picture.hasRedundantPictures {
            sink.append(unsigned: UInt32(redundantPictureCount))
        }
    }

    private func writeReferences<Sink: BitSink>(to sink: inout Sink) {
        guard !start.type.isIntra else { return }
        let isB = start.type == .b
        if isB {
            sink.append(predictsDirectSpatially)
        }
        sink.append(referenceCounts != nil)
        if let referenceCounts {
            sink.append(unsigned: UInt32(referenceCounts.list0 - 1))
            if isB { sink.append(unsigned: UInt32(referenceCounts.list1 - 1)) }
        }
        modification0.write(to: &sink)
        if isB {
            modification1.write(to: &sink)
        }
    }
}

// MARK: - Numbering

extension SliceHeaderSyntax {
    /// Rewrites the references for a `frame_num` with another size, and perhaps other values, so that they name the
    /// same frames.
    ///
    /// `distance` maps a frame's distance before the current one from the old to the new numbering, in reference
    /// frames. The caller sets ``frameNumber``.
    package mutating func renumberReferences(
        from oldBits: Int, to newBits: Int, distance: (Int) throws(NaluError) -> Int = { $0 }
    ) throws(NaluError) {
        let isField = isField
        // Each frame has two picture numbers for a field; the odd distances are fields of the other parity (8.2.4.1).
        func pictureDistance(_ old: Int) throws(NaluError) -> Int {
            isField ? try distance(old >> 1) << 1 | old & 1 : try distance(old)
        }
        let doubling = isField ? 1 : 0
        let (old, new) = (1 << (oldBits + doubling), 1 << (newBits + doubling))
        try modification0.renumber(from: old, to: new, distance: pictureDistance)
        try modification1.renumber(from: old, to: new, distance: pictureDistance)
        try marking.renumber(distance: pictureDistance)
    }
}
