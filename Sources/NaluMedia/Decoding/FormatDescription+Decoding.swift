internal import Nalu
internal import NaluBitstream

/// Comparison of two format descriptions for a decoder.
extension FormatDescription {
    /// Returns whether a decoder of `former` can continue with pictures of this format. At a key frame a new decoder
    /// loses nothing, so the same decoder continues only if the sequence's parameter sets are equal. Elsewhere the
    /// decoder continues if the pictures have the same size, cropping, chroma format and depth.
    func goesOn(from former: FormatDescription, isKeyFrame: Bool) -> Bool {
        if self == former { return true }
        guard codec == former.codec else { return false }
        let (info, before) = (sequence, former.sequence)
        if isKeyFrame { return sequenceSets == former.sequenceSets }
        return info.codedWidth == before.codedWidth && info.codedHeight == before.codedHeight
            && info.width == before.width && info.height == before.height
            && info.cropLeft == before.cropLeft && info.cropTop == before.cropTop
            && info.chromaFormatIDC == before.chromaFormatIDC && info.lumaBitDepth == before.lumaBitDepth
            && info.chromaBitDepth == before.chromaBitDepth
    }

    /// Whether pictures of the format may be fields.
    var hasFields: Bool { !isHEVC && !sequence.frameMbsOnly }

    /// The parameter sets that apply to a whole sequence: SPS in H.264, VPS and SPS in H.265.
    private var sequenceSets: [[UInt8]] {
        parameterSets.filter { set in
            guard let first = set.first else { return false }
            return isHEVC
                ? [.videoParameterSet, .sequenceParameterSet].contains(HEVCUnitHeader(of: [first, 1])?.type)
                : NALUnitHeader(rawValue: first).type == .sequenceParameterSet
        }
    }
}
