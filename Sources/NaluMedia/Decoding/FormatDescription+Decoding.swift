internal import Nalu
internal import NaluBitstream

/// What a decoder asks of two format descriptions.
extension FormatDescription {
    /// Whether a decoder of `former` can go on with pictures of this one. At a key frame nothing is lost by another decoder,
    /// which then is the safer choice where more than picture parameter sets has changed. Elsewhere pictures of the same
    /// size go on, whatever else the sequence parameter set says.
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

    /// Pictures may be fields.
    var hasFields: Bool { !isHEVC && !sequence.frameMbsOnly }

    /// The parameter sets that hold for a whole sequence: H.264's SPS, H.265's VPS and SPS.
    private var sequenceSets: [[UInt8]] {
        parameterSets.filter { set in
            guard let first = set.first else { return false }
            return isHEVC
                ? [.videoParameterSet, .sequenceParameterSet].contains(HEVCUnitHeader(of: [first, 1])?.type)
                : NALUnitHeader(rawValue: first).type == .sequenceParameterSet
        }
    }
}
