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
        let file = path.split(separator: "/").last ?? ""
        guard path != "-", let dot = file.lastIndex(of: ".") else { return nil }
        let ending = file[file.index(after: dot)...].lowercased()
        return ContainerName.allCases.first { $0.endings.contains(ending) }?.container
    }
}
