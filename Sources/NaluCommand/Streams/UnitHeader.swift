internal import ArgumentParser
internal import Nalu
internal import NaluBitstream

/// The header of a NAL unit, as NaluBitstream reads it: one byte in H.264, two in H.265.
enum UnitHeader {
    case h264(NALUnitHeader)
    case h265(HEVCUnitHeader)

    /// Of a unit that begins so; what is missing counts as zeros.
    init(_ codec: VideoCodec, of head: [UInt8]) {
        let first = head.first ?? 0
        switch codec {
        case .h264: self = .h264(NALUnitHeader(rawValue: first))
        case .h265: self = .h265(HEVCUnitHeader(rawValue: UInt16(first) << 8 | UInt16(head.dropFirst().first ?? 0)))
        }
    }

    /// `nal_unit_type`.
    var type: Int {
        switch self {
        case .h264(let header): Int(header.type.rawValue)
        case .h265(let header): Int(header.type.rawValue)
        }
    }

    /// What it holds, for people.
    var name: String {
        switch self {
        case .h264(let header): StandardNames.unit(header.type)
        case .h265(let header): StandardNames.unit(header.type)
        }
    }

    /// In bytes.
    var size: Int {
        switch self {
        case .h264: 1
        case .h265: 2
        }
    }

    /// Whether it is of the base layer, as the first unit of a stream is.
    var isOfBase: Bool {
        switch self {
        case .h264: true
        case .h265(let header): header.layerID == 0
        }
    }

    /// Whether streams have units with such a header: it is sound, and its type is none that is unspecified.
    var isCommon: Bool {
        switch self {
        case .h264(let header): !header.hasForbiddenBit && (1...21).contains(header.type.rawValue)
        case .h265(let header): header.isSound && header.type.rawValue <= 47
        }
    }
}

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

    init(_ codec: NaluBitstream.VideoCodec) {
        switch codec {
        case .h264: self = .h264
        case .hevc: self = .h265
        }
    }

    var name: String {
        switch self {
        case .h264: "H.264"
        case .h265: "H.265"
        }
    }
}
