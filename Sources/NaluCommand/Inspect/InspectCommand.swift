internal import ArgumentParser
private import Nalu

/// `nalu inspect`.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Tell what an H.264 stream holds.",
        discussion: """
            Reads an elementary stream: Annex B, or NAL units behind lengths; which one is found out. Prints a summary, \
            or everything as JSON (docs/command.md describes the keys), and writes a page to look at in a browser.
            """)

    @Argument(help: "The stream, or - for standard input.", completion: .file())
    var file: String

    @Flag(help: "Write everything as JSON.")
    var json = false

    @Option(
        help: ArgumentHelp("Write a page with plots, which needs nothing else.", valueName: "file"), completion: .file()
    )
    var html: String?

    @Flag(name: .shortAndLong, help: "Replace the page's file when it exists.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "Frames a second, such as 25, 30000/1001 or 29.97; the stream's own by default.", valueName: "rate"),
        transform: FrameRate.read)
    var fps: FrameRate?

    @Flag(help: "List every frame.")
    var frames = false

    @Flag(help: "List every NAL unit.")
    var units = false

    @Flag(help: "List every field of the parameter sets.")
    var parameterSets = false

    @OptionGroup(title: "Form of the stream")
    var form: StreamFormOptions

    func run() throws {
        let input = try ByteInput(path: file)
        if let html, html != "-", input.isSameFile(as: html) {
            throw Failure("--html \(html) is the stream itself; give another file")
        }
        let outside = try form.configuration()
        var analyzer = StreamAnalyzer()
        if let outside { analyzer.addOutside(outside) }
        let stream = try UnitReader(input, form: form.form(outside))
        let result = try stream.read(limit: StreamAnalyzer.headLimit) { analyzer.add($0) }
        let analysis = analyzer.finish(result, form: stream.form, name: input.name, fps: fps?.perSecond)
        guard !analysis.units.isEmpty else { throw Failure("\(input.name) holds no NAL unit") }
        if let html {
            let output = try ByteOutput(path: html, replaces: force, isText: true)
            try HTMLReport(analysis).write(to: output)
            try output.flush()
        }
        if json {
            let output = try ByteOutput(path: "-", replaces: false, isText: true)
            try JSONReport(analysis).write(to: output)
            try output.flush()
        } else if html != "-" {
            let report = TextReport(analysis, style: TextStyle.forStandardOutput)
            Console.print(report.text(frames: frames, units: units, parameterSets: parameterSets))
        }
    }

    func validate() throws {
        if let fps, !StreamRate.plausible.contains(fps.perSecond) {
            throw ValidationError("--fps is \(Measure.short(fps.perSecond)), expected 0.1 to 1000")
        }
        if json, html == "-" { throw ValidationError("--json and --html - both write to standard output") }
    }
}
