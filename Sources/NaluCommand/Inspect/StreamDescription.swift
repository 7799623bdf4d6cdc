internal import Nalu

/// What a stream is, by its first parameter sets.
struct StreamDescription {
    /// What MP4 and the web call the format (RFC 6381): "avc1.64001f".
    let codec: String
    let profile: String
    let level: String
    /// In H.265.
    let tier: String?
    /// Size, samples, shape and colour of the pictures, in H.264's terms.
    let picture: SequenceParameterSet
    /// Temporal sub-layers, in H.265.
    let subLayerCount: Int?
    /// Frames a second.
    let frameRate: Double?
    /// How its pictures are coded, for people.
    let coding: [String]
    /// Whether there may be fields, and what the report says about it.
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

    /// "Main 10, Main tier, level 3.1".
    var title: String {
        profile + (tier.map { ", \($0) tier" } ?? "") + ", level \(level)"
    }
}
