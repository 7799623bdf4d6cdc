/// Distinguishes H.264 from H.265 by the first NAL units of a stream.
package struct CodecDetector {
    /// The codec of the first valid parameter set; nil before. A parameter set of one codec never parses as one of the
    /// other.
    package private(set) var proven: VideoCodec?
    private var count = 0
    /// The number of NAL units with a valid H.265 header of the base layer. H.264 slices mostly do not have one,
    /// because `first_mb_in_slice` sets high bits of the second byte.
    private var likelyCount = 0

    package static let maximumUnits = 500

    /// The proven codec, or the more likely one.
    package var codec: VideoCodec { proven ?? (2 * likelyCount > count ? .hevc : .h264) }

    /// Whether more NAL units are unnecessary: the codec is proven, or ``maximumUnits`` have been seen.
    package var isDone: Bool { proven != nil || count >= Self.maximumUnits }

    package init() {}

    package mutating func add(_ unit: [UInt8]) {
        count += 1
        if let header = HEVCUnitHeader(of: unit), header.isSound, header.layerID == 0 {
            if header.type.isSlice || (32...40).contains(header.type.rawValue) { likelyCount += 1 }
            if Self.isSoundSet(unit, header.type) { proven = proven ?? .hevc }
        }
        let isSequence = NALUnitHeader(rawValue: unit.first ?? 0).type == .sequenceParameterSet
        if isSequence, (try? SequenceParameterSet(parsing: unit)) != nil { proven = proven ?? .h264 }
    }

    private static func isSoundSet(_ unit: [UInt8], _ type: HEVCUnitType) -> Bool {
        switch type {
        case .videoParameterSet: (try? HEVCVideoParameterSet(parsing: unit)) != nil
        case .sequenceParameterSet: (try? HEVCSequenceParameterSet(parsing: unit)) != nil
        default: false
        }
    }
}
