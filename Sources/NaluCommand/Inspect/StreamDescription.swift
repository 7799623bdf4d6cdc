internal import Nalu

/// A description of a stream from its first parameter sets.
struct StreamDescription {
    /// The codecs parameter of MP4 and MIME types (RFC 6381), for example "avc1.64001f".
    let codec: String
    let profile: String
    let level: String
    /// The tier; nil in H.264.
    let tier: String?
    /// The size, chroma format, shape and colour of the pictures, as an H.264 SPS.
    let picture: SequenceParameterSet
    /// The number of temporal sub-layers; nil in H.264.
    let subLayerCount: Int?
    /// Frames per second; nil if the stream states no rate.
    let frameRate: Double?
    /// The coding tools in words.
    let coding: [String]
    /// The scan type in words: whether pictures may be fields.
    let scan: String

    init(_ set: SequenceParameterSet, unit: [UInt8], picture: PictureParameterSet?) {
        codec = StandardNames.codec(unit)
        profile = StandardNames.profile(set)
        level = StandardNames.level(set)
        tier = nil
        self.picture = set
        subLayerCount = nil
        frameRate = set.frameRate
        var coding = picture.map { [$0.usesCABAC ? "CABAC" : "CAVLC"] } ?? []
        coding.append(NumberText.count(set.maxReferenceFrames, "reference frame"))
        self.coding = coding
        scan = set.frameMbsOnly ? "progressive" : "may be interlaced"
    }

    init(_ set: HEVCSequenceParameterSet, picture: HEVCPictureParameterSet?, video: HEVCVideoParameterSet?) {
        codec = StandardNames.codec(set.profileTierLevel)
        profile = StandardNames.profile(set.profileTierLevel)
        level = StandardNames.level(set.profileTierLevel)
        tier = set.profileTierLevel.tier == 0 ? "Main" : "High"
        self.picture = set.common
        subLayerCount = set.subLayerCount
        if let rate = set.common.frameRate {
            frameRate = rate
        } else if let video, video.unitsInTick > 0 {
            frameRate = Double(video.timeScale) / Double(video.unitsInTick)
        } else {
            frameRate = nil
        }
        var coding: [String] = []
        if picture?.usesTiles == true { coding.append("tiles") }
        if picture?.usesEntropySync == true { coding.append("wavefronts") }
        coding.append("\(NumberText.count(set.maximumKeptPictures, "picture")) kept")
        coding.append("reorder depth \(set.reorderDepth)")
        if set.subLayerCount > 1 { coding.append("\(set.subLayerCount) temporal sub-layers") }
        self.coding = coding
        scan = set.isFieldSequence ? "fields" : "progressive"
    }

    /// The title, for example "Main 10, Main tier, level 3.1".
    var title: String {
        profile + (tier.map { ", \($0) tier" } ?? "") + ", level \(level)"
    }
}
