internal import ArgumentParser
internal import NaluMedia

/// The containers by the names that `--container` takes.
enum ContainerName: String, CaseIterable, ExpressibleByArgument {
    case mp4, mov, mkv, ts, flv, h264, h265

    var container: Container {
        switch self {
        case .mp4: .mp4
        case .mov: .mov
        case .mkv: .matroska
        case .ts: .mpegTS
        case .flv: .flv
        case .h264: .h264
        case .h265: .hevc
        }
    }

    var endings: [String] {
        switch self {
        case .mp4: ["mp4", "m4v"]
        case .mov: ["mov", "qt"]
        case .mkv: ["mkv"]
        case .ts: ["ts", "m2t"]
        case .flv: ["flv"]
        case .h264: ["h264", "264", "avc"]
        case .h265: ["h265", "265", "hevc"]
        }
    }
}
