internal import CNalu
internal import NaluBitstream

/// What a decoder asks of two format descriptions.
extension FormatObject {
    /// Whether a decoder of `former` can go on with pictures of this one. At a key frame nothing is lost by another decoder,
    /// which then is the safer choice where more than picture parameter sets has changed. Elsewhere pictures of the same
    /// size go on, whatever else the sequence parameter set says.
    func goesOn(from former: FormatObject, isKeyFrame: Bool) -> Bool {
        if self == former { return true }
        guard codec == former.codec, let info = sequenceInfo, let before = former.sequenceInfo else { return false }
        if isKeyFrame { return sequenceSets == former.sequenceSets }
        return info.coded_width == before.coded_width && info.coded_height == before.coded_height
            && info.width == before.width && info.height == before.height
            && info.crop_left == before.crop_left && info.crop_top == before.crop_top
            && info.chroma_format_idc == before.chroma_format_idc && info.luma_bit_depth == before.luma_bit_depth
            && info.chroma_bit_depth == before.chroma_bit_depth
    }

    /// Pictures may be fields.
    var hasFields: Bool { !isHEVC && sequenceInfo?.frame_mbs_only == 0 }

    /// The parameter sets that hold for a whole sequence: H.264's SPS, H.265's VPS and SPS.
    private var sequenceSets: [[UInt8]] {
        var sets: [[UInt8]] = []
        // The closure throws nothing.
        try? unsafe forEachParameterSet { set in
            guard let first = unsafe set.first else { return }
            let isSequenceSet =
                isHEVC
                ? [.videoParameterSet, .sequenceParameterSet].contains(HEVCUnitHeader(of: [first, 1])?.type)
                : NALUnitHeader(rawValue: first).type == .sequenceParameterSet
            if isSequenceSet { unsafe sets.append([UInt8](set)) }
        }
        return sets
    }
}
