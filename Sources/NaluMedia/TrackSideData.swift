internal import NaluMediaEngine

/// What a container says of a video track beside its times and parameter sets, for a copy of the track.
package struct TrackSideData: Sendable {
    package enum Kind: CaseIterable, Sendable {
        case dolbyVision, masteringDisplay, contentLight, stereo, projection

        fileprivate var engine: NaluMediaEngine.TrackSideData.Kind {
            switch self {
            case .dolbyVision: .dolbyVision
            case .masteringDisplay: .masteringDisplay
            case .contentLight: .contentLight
            case .stereo: .stereo
            case .projection: .projection
            }
        }
    }

    var engine: NaluMediaEngine.TrackSideData

    package init() {
        engine = NaluMediaEngine.TrackSideData()
    }

    init(_ engine: NaluMediaEngine.TrackSideData) {
        self.engine = engine
    }

    package var kinds: [Kind] { Kind.allCases.filter { engine.kinds.contains($0.engine) } }

    package mutating func remove(_ kind: Kind) {
        engine.remove(kind.engine)
    }

    /// Whether FFmpeg's muxer of a container writes it, all versions from 5.1 on.
    package static func isWritten(_ kind: Kind, in container: Container) -> Bool {
        switch kind {
        case .dolbyVision, .stereo, .projection: container == .mp4 || container == .matroska
        case .masteringDisplay, .contentLight: container == .mp4 || container == .mov || container == .matroska
        }
    }
}
