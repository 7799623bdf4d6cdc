internal import ArgumentParser
internal import NaluMedia

/// The container of an output and its options.
struct OutputContainer {
    var kind: Container
    var isFragmented = false
    /// The longest fragments in seconds; 0 if only key frames begin fragments.
    var fragmentDuration = 0.0
    var fastStart = false
    var parameterSetsInBand = false

    /// True if the container needs a seekable output.
    var needsSeeking: Bool { kind.isBaseMedia && !isFragmented }

    /// Returns the container for the path's extension; nil for other extensions and for standard output.
    static func container(ofPath path: String) -> Container? {
        guard let fileExtension = fileExtension(ofPath: path) else { return nil }
        return ContainerName.allCases.first { $0.extensions.contains(fileExtension) }?.container
    }

    /// Extensions of video and audio files that cannot be written.
    private static let foreignExtensions: Set<String> = [
        "webm", "avi", "mpg", "mpeg", "m2ts", "mts", "wmv", "asf", "ogg", "ogv", "3gp", "3g2", "mxf", "vob", "gif",
        "m4a", "mp3", "aac", "wav", "jpg",
    ]

    /// Extensions of files with uncompressed frames.
    private static let frameExtensions: Set<String> = [
        "y4m", "yuv", "i420", "yuv420p", "nv12", "p010", "rgb", "rgb24", "png",
    ]

    /// Returns the path's extension if it belongs to files that cannot be written. A bare stream must not have it
    /// either.
    static func foreignExtension(ofPath path: String) -> String? {
        fileExtension(ofPath: path).flatMap {
            foreignExtensions.contains($0) || frameExtensions.contains($0) ? $0 : nil
        }
    }

    /// Returns the path's extension if it belongs to video files. Uncompressed frames must not have it.
    static func videoExtension(ofPath path: String) -> String? {
        fileExtension(ofPath: path).flatMap { fileExtension in
            foreignExtensions.contains(fileExtension) || container(ofPath: path) != nil ? fileExtension : nil
        }
    }

    private static func fileExtension(ofPath path: String) -> String? {
        let file = path.split(separator: "/").last ?? ""
        guard path != "-", let dot = file.lastIndex(of: ".") else { return nil }
        return file[file.index(after: dot)...].lowercased()
    }
}

/// The containers, by the names that `--container` accepts.
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

    var extensions: [String] {
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
