internal import ArgumentParser
private import Nalu
private import NaluMedia

/// The subcommand `nalu inspect`.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Report what a video file, or a stream of H.264 or H.265, contains.",
        discussion: """
            The input is a container (MP4, MOV, Matroska, MPEG-TS, FLV, AVI) with an H.264 or H.265 track, or an elementary \
            stream in Annex B or length-prefixed form; form and codec are detected. The output is a summary, everything as \
            JSON (docs/command.md describes the keys), or an HTML page with plots.

            Examples:
              nalu inspect clip.mp4
              nalu inspect clip.h265 --frames
              nalu inspect clip.mp4 --html clip.html
              nalu inspect clip.mp4 --json
            """)

    @Argument(help: "The file or stream, or - for standard input.", completion: .file())
    var file: String

    @Flag(help: "Write the report as JSON, with every frame and NAL unit.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write a self-contained HTML page with plots and all tables.", valueName: "file"),
        completion: .file()
    )
    var html: String?

    @Flag(name: .shortAndLong, help: "Replace the HTML file if it exists.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "Frames per second, such as 25, 30000/1001 or 29.97; by default that of the stream.", valueName: "rate"),
        transform: RationalFrameRate.read)
    var fps: RationalFrameRate?

    @Flag(help: "List every frame.")
    var frames = false

    @Flag(help: "List every NAL unit.")
    var units = false

    @Flag(help: "List every field of the parameter sets.")
    var parameterSets = false

    @Option(
        help: ArgumentHelp(
            "The track of a container, counted from 0; by default the first one with H.264 or H.265.",
            valueName: "number"))
    var track: Int?

    @Option(name: [.customLong("format"), .customLong("input-format")], help: InputFormatArgument.help)
    var inputFormat: InputFormatArgument?

    @OptionGroup(title: "Format of the stream")
    var framing: StreamFramingOptions

    func run() throws {
        let input = try SequentialInput(path: file)
        if let html, html != "-", input.isSameFile(as: html) {
            throw Failure("--html \(html) is the input itself; name another file")
        }
        guard let analysis = try analysis(input) else { return }
        if let html {
            let output = try BufferedOutput(path: html, replaces: force, isText: true)
            do {
                try HTMLReport(analysis).write(to: output)
                try output.flush()
            } catch {
                output.discard()
                throw error
            }
        }
        if json {
            let output = try BufferedOutput(path: "-", replaces: false, isText: true)
            try JSONReport(analysis).write(to: output)
            try output.flush()
        } else if html != "-" {
            let report = TextReport(analysis, style: TextStyle.forStandardOutput)
            Console.print(report.text(frames: frames, units: units, parameterSets: parameterSets))
        }
    }

    /// Returns the analysis. Returns nil after a report on a container without H.264 and H.265.
    private func analysis(_ input: SequentialInput) throws -> StreamAnalysis? {
        let outside = try framing.outsideSets()
        var stated = framing.stated(outside)
        if let codec = inputFormat?.codec { stated = (.annexB, codec) }
        var input = input
        var source: InputFile?
        if stated.framing == nil {
            source = file != "-" && input.size != nil ? try InputFile(path: file) : try spooled(input)
        }
        if let source, let path = source.path, source.name != path {
            input = try SequentialInput(path: path, name: source.name)
        }
        if let source, let (file, reader) = try container(source) {
            let inspection = try ContainerInspection(file, reader, track: track, fps: fps?.perSecond)
            if let analysis = inspection.analysis { return analysis }
            try tell(inspection.facts, name: file.name)
            return nil
        }
        if let track { throw Failure.usage("--track is \(track), but \(input.name) is a stream without tracks") }
        let stream = try UnitReader(input, stated: stated)
        var analyzer = StreamAnalyzer(stream.codec)
        if let outside { analyzer.addOutside(outside) }
        let result = try stream.read(limit: StreamAnalyzer.headLimit(stream.codec)) { analyzer.add($0) }
        let analysis = analyzer.finish(result, framing: stream.framing, name: input.name, fps: fps?.perSecond)
        guard !analysis.units.isEmpty else { throw Failure("\(input.name) has no NAL units") }
        return analysis
    }

    /// Copies standard input or a pipe to a file if it may be a container, whose reader needs to seek. Nil for a
    /// stream.
    private func spooled(_ input: SequentialInput) throws(Failure) -> InputFile? {
        let head = try input.peek(1 << 20)
        let seen = Self.detect(head)
        if head.isEmpty || (inputFormat == nil && (seen.isStream || seen.container == "Y4M")) { return nil }
        return try InputSpooler.copy(of: input.descriptor, after: head, name: input.name)
    }

    private static func detect(_ head: [UInt8]) -> (container: String?, isStream: Bool) {
        unsafe head.withUnsafeBytes { head in
            unsafe (
                StreamFramingDetector.container(head),
                StreamFramingDetector.isStream(head, isWhole: head.count < 1 << 20)
            )
        }
    }

    /// Opens the input if it is a file in a container; nil for a stream.
    private func container(_ input: InputFile) throws(Failure) -> (file: InputFile, reader: Reader)? {
        guard let path = input.path else { return nil }
        FFmpegLog.silence()
        if let inputFormat { return (input, try MediaFile.inspect(path, name: input.name, format: inputFormat)) }
        let seen = Self.detect(try input.firstBytes(1 << 20))
        if seen.isStream || seen.container == "Y4M" { return nil }
        if seen.container != nil { return (input, try MediaFile.inspect(path, name: input.name)) }
        // Only FFmpeg detects the other containers. A file that FFmpeg does not recognize may be a stream that begins
        // in the middle.
        guard let reader = try? MediaFile.inspect(path, name: input.name), reader.container != .h264,
            reader.container != .hevc
        else { return nil }
        return (input, reader)
    }

    private func tell(_ facts: ContainerFacts, name: String) throws(Failure) {
        if html != nil { throw Failure("\(name) has no H.264 or H.265 track, so there is nothing to plot") }
        if json {
            let value = JSONValue.object([("file", .string(name)), ("container", facts.json)])
            return Console.print(value.text)
        }
        let rows = facts.rows.map { "  " + $0.name.padded(to: 8) + "  " + $0.value }
        Console.print(
            ([TextStyle.forStandardOutput.bold(name)] + rows + [
                "", "It has no H.264 or H.265 track to inspect.",
            ])
            .joined(separator: "\n"))
    }

    func validate() throws {
        if let fps, !StreamRate.plausible.contains(fps.perSecond) {
            throw ValidationError("--fps is \(QuantityFormat.short(fps.perSecond)); expected 0.1 to 1000")
        }
        if inputFormat != nil, framing.isGiven {
            throw ValidationError(
                "--format is for containers, and --annexb, --length-size, --codec, --avcc and --hvcc are for streams; leave one out"
            )
        }
        if json, html == "-" {
            throw ValidationError("--json and --html - both write to standard output; name a file for --html")
        }
    }
}
