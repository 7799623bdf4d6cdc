internal import ArgumentParser
internal import NaluMedia

/// As what a stream is written, whichever command makes it.
struct OutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The container, whatever the extension.", valueName: "name"))
    var container: ContainerName?

    @Flag(
        help:
            "MP4 and MOV: write fragments, for pipes and live streams. Finished fragments can be played if the rest is lost."
    )
    var fragmented = false

    @Flag(help: "MP4 and MOV: put the index at the beginning, so that playing can start before the file is loaded.")
    var fastStart = false

    @Flag(name: .shortAndLong, help: "Replace the output file if it exists.")
    var force = false

    func form(of path: String) -> OutputForm {
        OutputForm(
            container: container?.container ?? OutputForm.container(ofPath: path) ?? .h264, isFragmented: fragmented,
            fastStart: fastStart)
    }

    /// Throws what shows before anything is opened.
    func check(_ path: String) throws {
        if container == nil, let ending = OutputForm.foreignEnding(ofPath: path) {
            let known = ContainerName.allCases.map { ".\($0.endings[0])" }.joined(separator: ", ")
            throw ValidationError(
                "no file .\(ending) can be written here; expected \(known), or --container with any name")
        }
        let option = fragmented ? "--fragmented" : "--fast-start"
        let container = form(of: path).container
        if fragmented || fastStart, !container.isBaseMedia {
            throw ValidationError("\(option) is for mp4 and mov, and the output is \(container); leave it out")
        }
        if fastStart && path == "-" {
            throw ValidationError("--fast-start needs a file with a name: what is written is read once more")
        }
        if fragmented && fastStart {
            throw ValidationError(
                "--fragmented and --fast-start exclude each other: a fragmented file begins with its index")
        }
    }
}
