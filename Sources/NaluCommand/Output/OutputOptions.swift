internal import ArgumentParser
internal import NaluMedia

/// The options for the output's container, shared by all commands that write streams.
struct OutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The container, whatever the extension.", valueName: "name"))
    var container: ContainerName?

    @Flag(
        help:
            "MP4 and MOV: write fragments, for pipes and live streams. Finished fragments stay playable if the rest is lost."
    )
    var fragmented = false

    @Flag(
        help:
            "MP4 and MOV: put the index at the beginning, so that playback can start before the entire file is loaded.")
    var fastStart = false

    @Flag(
        help:
            "MP4 and MOV: repeat the parameter sets before each frame where decoding can start, so that they may change in a fragmented file."
    )
    var parameterSetsInBand = false

    @Flag(name: .shortAndLong, help: "Replace the output file if it exists.")
    var force = false

    func container(of path: String) -> OutputContainer {
        if let sent = Publisher.container(of: path) { return OutputContainer(kind: sent) }
        return OutputContainer(
            kind: container?.container ?? OutputContainer.container(ofPath: path) ?? .h264, isFragmented: fragmented,
            fastStart: fastStart, parameterSetsInBand: parameterSetsInBand)
    }

    /// Returns the container that is sent to an address. Throws if the address cannot be published to.
    @discardableResult
    static func checkAddress(_ path: String) throws -> Container {
        guard let sent = Publisher.container(of: path) else {
            throw ValidationError(
                "\(path) cannot be published to; expected rtmp://HOST/APPLICATION/NAME, srt://HOST:PORT, udp://HOST:PORT or http://HOST/PATH, which docs/live.md describes"
            )
        }
        return sent
    }

    /// Throws if an option does not apply to an address, whose protocol determines the container.
    private func checkOptionsForAddress(_ path: String) throws {
        let sent = try Self.checkAddress(path)
        if let container, container.container != sent {
            throw ValidationError(
                "--container is \(container.rawValue), but \(sent) is sent to this address; leave it out")
        }
        let forFiles = [
            (fragmented, "--fragmented"), (fastStart, "--fast-start"), (force, "--force"),
            (parameterSetsInBand, "--parameter-sets-in-band"),
        ]
        if let (_, option) = forFiles.first(where: \.0) {
            throw ValidationError("\(option) is for files, but the output is an address; leave it out")
        }
    }

    /// Throws if the options contradict the path, before anything is opened.
    func check(_ path: String) throws {
        if Publisher.isAddress(path) { return try checkOptionsForAddress(path) }
        if container == nil, let fileExtension = OutputContainer.foreignExtension(ofPath: path) {
            let known = ContainerName.allCases.map { ".\($0.extensions[0])" }.joined(separator: ", ")
            throw ValidationError(
                "files with the extension .\(fileExtension) cannot be written; expected \(known), or any extension with --container"
            )
        }
        let container = container(of: path).kind
        let forBaseMedia = [
            (fragmented, "--fragmented"), (fastStart, "--fast-start"),
            (parameterSetsInBand, "--parameter-sets-in-band"),
        ]
        if let (_, option) = forBaseMedia.first(where: \.0), !container.isBaseMedia {
            throw ValidationError("\(option) is for mp4 and mov, but the output is \(container); leave it out")
        }
        if fastStart && path == "-" {
            throw ValidationError("--fast-start needs an output file with a name, because it reads the file again")
        }
        if fragmented && fastStart {
            throw ValidationError(
                "--fragmented and --fast-start are both set, but a fragmented file always begins with its index; leave one out"
            )
        }
    }
}
