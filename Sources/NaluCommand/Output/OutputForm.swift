internal import NaluMedia

/// What an output is written as.
struct OutputForm {
    let container: Container
    var isFragmented = false
    var fastStart = false

    /// Whether the container must be able to go back to what it has written.
    var needsSeeking: Bool { container.isBaseMedia && !isFragmented }

    /// By the ending of a path, as the library has it; nil for others, and for standard output.
    static func container(ofPath path: String) -> Container? {
        ending(ofPath: path).flatMap { ending in ContainerName.allCases.first { $0.endings.contains(ending) } }?
            .container
    }

    /// The ending of a path, where it is one of files that cannot be written, and which a stream alone is not.
    static func foreignEnding(ofPath path: String) -> String? {
        let foreign: Set<String> = [
            "webm", "avi", "mpg", "mpeg", "m2ts", "mts", "wmv", "asf", "ogg", "ogv", "3gp", "3g2", "mxf", "vob", "gif",
            "m4a", "mp3", "aac", "wav", "png", "jpg",
        ]
        return ending(ofPath: path).flatMap { foreign.contains($0) ? $0 : nil }
    }

    private static func ending(ofPath path: String) -> String? {
        let file = path.split(separator: "/").last ?? ""
        guard path != "-", let dot = file.lastIndex(of: ".") else { return nil }
        return file[file.index(after: dot)...].lowercased()
    }
}
