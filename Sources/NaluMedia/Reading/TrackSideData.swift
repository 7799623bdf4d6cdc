internal import CFFmpeg
internal import NaluBase

/// The properties of a video track that a container states beside its times and parameter sets.
package struct TrackSideData: Sendable {
    package enum Kind: CaseIterable, Sendable {
        /// Dolby Vision's configuration: boxes dvcC and dvvC.
        case dolbyVision
        /// The mastering display's colours: box mdcv, element MasteringMetadata.
        case masteringDisplay
        /// Content light levels: box clli, elements MaxCLL and MaxFALL.
        case contentLight
        /// The layout of stereoscopic video: box st3d, element StereoMode.
        case stereo
        /// The projection of spherical video: box sv3d, element Projection.
        case projection

        var type: AVPacketSideDataType {
            switch self {
            case .dolbyVision: AV_PKT_DATA_DOVI_CONF
            case .masteringDisplay: AV_PKT_DATA_MASTERING_DISPLAY_METADATA
            case .contentLight: AV_PKT_DATA_CONTENT_LIGHT_LEVEL
            case .stereo: AV_PKT_DATA_STEREO3D
            case .projection: AV_PKT_DATA_SPHERICAL
            }
        }
    }

    /// The side data as bytes of libavutil's structs.
    private(set) var items: [Kind: [UInt8]] = [:]

    package init() {}

    init(_ stream: ContainerStream) {
        for kind in Kind.allCases {
            var size = 0
            let bytes = unsafe nalu_ff_get_side_data(stream.pointer, kind.type, &size)
            if size > 0 { items[kind] = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: size)) }
        }
    }

    package var kinds: Set<Kind> { Set(items.keys) }

    package mutating func remove(_ kind: Kind) {
        items[kind] = nil
    }

    /// Adds the side data to a stream of a muxer, which writes what its format supports. Returns false if memory is
    /// lacking.
    func apply(to stream: ContainerStream) -> Bool {
        for (kind, bytes) in items {
            guard unsafe nalu_ff_set_side_data(stream.pointer, kind.type, bytes, bytes.count) >= 0 else { return false }
        }
        return true
    }

    /// Returns whether FFmpeg's muxer of a container writes this side data, in all versions from 5.1 on.
    package static func isWritten(_ kind: Kind, in container: Container) -> Bool {
        switch kind {
        case .dolbyVision, .stereo, .projection: container == .mp4 || container == .matroska
        case .masteringDisplay, .contentLight: container == .mp4 || container == .mov || container == .matroska
        }
    }
}
