internal import ArgumentParser
internal import Nalu
internal import NaluBitstream

/// The header of a NAL unit as NaluBitstream reads it: one byte in H.264, two in H.265.
enum UnitHeader {
    case h264(NALUnitHeader)
    case hevc(HEVCUnitHeader)

    /// Reads the header from the first bytes of a NAL unit. Missing bytes count as zeros.
    init(_ codec: VideoCodec, of head: [UInt8]) {
        let first = head.first ?? 0
        switch codec {
        case .h264: self = .h264(NALUnitHeader(rawValue: first))
        case .hevc: self = .hevc(HEVCUnitHeader(rawValue: UInt16(first) << 8 | UInt16(head.dropFirst().first ?? 0)))
        }
    }

    /// `nal_unit_type`.
    var type: Int {
        switch self {
        case .h264(let header): Int(header.type.rawValue)
        case .hevc(let header): Int(header.type.rawValue)
        }
    }

    /// The name of the NAL unit type, for people.
    var name: String {
        switch self {
        case .h264(let header): StandardNames.unit(header.type)
        case .hevc(let header): StandardNames.unit(header.type)
        }
    }

    /// The size of the header in bytes.
    var size: Int {
        switch self {
        case .h264: 1
        case .hevc: 2
        }
    }

    /// True if the NAL unit belongs to the base layer. The first unit of a stream always does.
    var isOfBase: Bool {
        switch self {
        case .h264: true
        case .hevc(let header): header.layerID == 0
        }
    }

    /// True if the header is valid and its NAL unit type is not unspecified.
    var isCommon: Bool {
        switch self {
        case .h264(let header): !header.hasForbiddenBit && (1...21).contains(header.type.rawValue)
        case .hevc(let header): header.isSound && header.type.rawValue <= 47
        }
    }
}

extension VideoCodec: ExpressibleByArgument {
    init?(argument: String) {
        guard let codec = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
        self = codec
    }

    static var allValueStrings: [String] { allCases.map(\.argument) }

    private var argument: String {
        switch self {
        case .h264: "h264"
        case .hevc: "h265"
        }
    }

    /// The name of the codec, for people.
    var name: String {
        switch self {
        case .h264: "H.264"
        case .hevc: "H.265"
        }
    }
}
