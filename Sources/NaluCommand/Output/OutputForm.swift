internal import ArgumentParser
internal import NaluMedia

/// What an output is written as.
struct OutputForm {
    var container: Container
    var isFragmented = false
    var fastStart = false
    var setsInBand = false

    /// Whether the container must be able to go back to what it has written.
    var needsSeeking: Bool { container.isBaseMedia && !isFragmented }

    /// By the ending of a path, as the library has it; nil for others, and for standard output.
    static func container(ofPath path: String) -> Container? {
        ending(ofPath: path).flatMap { ending in ContainerName.allCases.first { $0.endings.contains(ending) } }?
            .container
    }

    /// Of video and sound that cannot be written.
    private static let foreignEndings: Set<String> = [
        "webm", "avi", "mpg", "mpeg", "m2ts", "mts", "wmv", "asf", "ogg", "ogv", "3gp", "3g2", "mxf", "vob", "gif",
        "m4a", "mp3", "aac", "wav", "jpg",
    ]

    /// Of frames.
    private static let frameEndings: Set<String> = [
        "y4m", "yuv", "i420", "yuv420p", "nv12", "p010", "rgb", "rgb24", "png",
    ]

    /// The ending of a path, where it is one of files that cannot be written, and which a stream alone is not.
    static func foreignEnding(ofPath path: String) -> String? {
        ending(ofPath: path).flatMap { foreignEndings.contains($0) || frameEndings.contains($0) ? $0 : nil }
    }

    /// The ending of a path, where it is one of video files, which frames are not.
    static func videoEnding(ofPath path: String) -> String? {
        ending(ofPath: path).flatMap { ending in
            foreignEndings.contains(ending) || container(ofPath: path) != nil ? ending : nil
        }
    }

    private static func ending(ofPath path: String) -> String? {
        let file = path.split(separator: "/").last ?? ""
        guard path != "-", let dot = file.lastIndex(of: ".") else { return nil }
        return file[file.index(after: dot)...].lowercased()
    }
}

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
