internal import ArgumentParser
internal import Nalu

/// A video codec whose NAL units can be looked into.
enum VideoCodec: String, CaseIterable, ExpressibleByArgument {
    case h264
    case h265

    /// Nil for others.
    init?(_ codec: UInt32) {
        switch codec {
        case FormatDescription.h264: self = .h264
        case FormatDescription.hevc: self = .h265
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .h264: "H.264"
        case .h265: "H.265"
        }
    }
}
