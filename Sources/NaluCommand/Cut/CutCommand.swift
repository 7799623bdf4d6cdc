internal import ArgumentParser
private import Nalu
private import NaluMedia

/// The subcommand `nalu cut`.
struct CutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cut",
        abstract: "Copy a time range of a video file, and encode only the pictures at its edges.",
        discussion: """
            The samples between the edges stay byte for byte. The pictures from the start up to the next key frame are \
            re-encoded, and the last ones if they refer to later ones. The frames keep their distances, and the output begins at 0. \
            Audio and subtitles are copied and stay synchronous. If the edges cannot be encoded (H.265, interlaced video), an MP4 \
            or MOV gets every sample that decoding needs, and its edit list hides the samples outside the range. \
            docs/cutting.md has the details.

            Examples:
              nalu cut video.mp4 scene.mp4 --start 12:30 --end 14:05.5
              nalu cut video.mkv rest.mkv --start 1:30:00
            """)

    @Argument(help: "The file.", completion: .file())
    var input: String

    @OptionGroup var target: OutputPath

    @OptionGroup var range: RangeOptions

    @Option(help: ArgumentHelp("The container, whatever the extension.", valueName: "name"))
    var container: ContainerName?

    @Option(name: [.customLong("format"), .customLong("input-format")], help: InputFormatArgument.help)
    var inputFormat: InputFormatArgument?

    @Flag(name: .shortAndLong, help: "Replace the output file if it exists.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print no summary.")
    var quiet = false

    func validate() throws {
        if range.range.isAll { throw ValidationError("there is no range to cut; add --start, --end or both") }
        if input == "-" {
            throw ValidationError(
                "the input is read more than once and needs a name; write standard input to a file first")
        }
        if target.path == "-" {
            throw ValidationError("the output needs a name; nalu transcode --start and --end write to standard output")
        }
        if container == nil, OutputContainer.container(ofPath: target.path) == nil {
            let known = ContainerName.allCases.map { ".\($0.extensions[0])" }.joined(separator: ", ")
            throw ValidationError(
                "the extension of \(target.path) selects no container; expected \(known), or --container")
        }
    }

    func run() throws {
        FFmpegLog.silence()
        let output = target.path
        let container = OutputContainer(kind: container?.container ?? OutputContainer.container(ofPath: output) ?? .mp4)
        let file = try InputFile(path: input)
        _ = try OutputFile(path: output, replaces: force, input: file, container: container)
        var options = CutOptions()
        (options.start, options.end) = (range.start?.time, range.end?.time)
        options.container = container.kind
        options.format = inputFormat?.name
        options.overwrite = force
        try Interruption.watch {}
        let counter = ShareCounter()
        options.progress = { share in
            counter.share = share
            return Interruption.signal == nil
        }
        let line = quiet ? nil : try ProgressLine.start(share: counter)
        let result: CutResult
        do throws(NaluError) {
            defer { line?.finish() }
            result = try Reader.cut(input, to: output, options: options)
        } catch {
            if error.status == .cancelled, let signal = Interruption.signal {
                if !quiet { Console.error("nalu: interrupted; \(output) was not written") }
                throw ExitCode(Interruption.exitCode(signal))
            }
            throw Failure("cannot cut \(input) to \(output): \(error.message)")
        }
        guard !quiet else { return }
        var parts = ["\(NumberText.count(result.copiedFrames, "frame")) copied"]
        if result.encodedFrames > 0 { parts.append("\(result.encodedFrames) re-encoded") }
        if result.hiddenFrames > 0 { parts.append("\(result.hiddenFrames) hidden by the edit list") }
        Console.error("\(output): \(parts.joined(separator: ", "))")
        // The output is complete, even if the input cannot be opened again.
        for line in (try? losses(file, result, container)) ?? [] { Console.error(line) }
    }

    /// Returns lines on everything of the input that the output cannot store.
    private func losses(_ file: InputFile, _ result: CutResult, _ container: OutputContainer) throws -> [String] {
        let media = try MediaFile(file, format: inputFormat)
        var losses = Losses()
        losses.add(of: media, in: container)
        let kept = Set(media.reader.tracks.map(\.index)).subtracting(result.leftOutTracks)
        return [
            losses.line(of: file.name), Orientation(of: media.track).loss(of: file.name, in: target.path, container),
            media.leftOut(besides: kept),
        ].compactMap(\.self)
    }
}
