/// Distinguishes H.264 from H.265 by the first NAL units of a stream.
package struct CodecDetector {
    /// By the first sound parameter set, in which none is mistaken for one of the other.
    package private(set) var proven: VideoCodec?
    private var count = 0
    /// Units with a header that the base layer has in H.265 and slices do not have in H.264: `first_mb_in_slice` sets
    /// high bits.
    private var likelyCount = 0

    package static let maximumUnits = 500

    /// What it is in all likelihood.
    package var codec: VideoCodec { proven ?? (2 * likelyCount > count ? .hevc : .h264) }

    /// Whether further units change nothing.
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
