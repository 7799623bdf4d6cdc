internal import ArgumentParser
internal import NaluMedia

/// Where a stream goes, and as what.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file; its ending tells the container: .mp4, .mov, .mkv, .ts, .flv, and Annex B for .h264 and all others. - is "
                + "standard output.", valueName: "file"), completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The container, whatever the file is called.", valueName: "name"))
    var container: ContainerName?

    @Flag(
        help:
            "MP4 and MOV: write fragments, for pipes and live streams; what is finished can be played if the rest is lost."
    )
    var fragmented = false

    @Flag(help: "MP4 and MOV: put the index at the beginning, so that players need not load all of the file first.")
    var fastStart = false

    @Flag(name: .shortAndLong, help: "Replace the output file if it is there already.")
    var force = false

    var form: OutputForm {
        OutputForm(
            container: container?.container ?? OutputForm.container(ofPath: output) ?? .h264, isFragmented: fragmented,
            fastStart: fastStart)
    }

    func validate() throws {
        let option = fragmented ? "--fragmented" : "--fast-start"
        if fragmented || fastStart, !form.container.isBaseMedia {
            throw ValidationError("\(option) is for mp4 and mov, and the output is \(form.container); leave it out")
        }
        if fastStart && output == "-" {
            throw ValidationError("--fast-start needs a file with a name: what is written is read once more")
        }
        if fragmented && fastStart {
            throw ValidationError(
                "--fragmented and --fast-start exclude each other: a fragmented file begins with its index")
        }
    }
}
