internal import ArgumentParser
private import Nalu
private import NaluMedia

/// The subcommand `nalu transcode`.
struct TranscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transcode",
        abstract: "Decode a video file and encode it again as H.264.",
        discussion: """
            The input has H.264 or H.265 video. The times of the frames stay exactly as they are, and so do colour, pixel \
            aspect ratio and rotation. Audio and subtitles are copied. The encoder options are those of nalu encode. The \
            extension of the output selects the container: .mp4, .mov, .mkv, .ts, .flv or .h264.

            --workers and --dask encode a long video in chunks, in two passes, by several threads or machines. They copy audio and \
            subtitles.

            Examples:
              nalu transcode in.mp4 out.mp4 --bit-rate 800k
              nalu transcode in.mp4 out.mp4 --bit-rate 800k --workers 8
              nalu transcode in.mp4 out.mp4 --start 1:30 --end 2:15 --size 640x360
              nalu transcode phone.mov web.mp4 --preset slow --fast-start

            Ctrl-C stops reading; the frames read so far are encoded and the file is complete. A second Ctrl-C ends at once. \
            With --workers and --dask, Ctrl-C keeps the finished chunks for --resume.
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var input: String

    @OptionGroup var target: OutputPath

    var output: String { target.path }

    @Option(help: ArgumentHelp("The track, counted from 0; by default the first video track.", valueName: "number"))
    var track: Int?

    @Option(help: ArgumentHelp("Stop after this many frames.", valueName: "number"))
    var frames: Int?

    @Option(name: [.customLong("format"), .customLong("input-format")], help: InputFormatArgument.help)
    var inputFormat: InputFormatArgument?

    @OptionGroup var range: RangeOptions

    @OptionGroup var shape: ShapeOptions

    @Flag(help: "Take every frame of an MP4 or MOV, also those that its edit list hides from players.")
    var ignoreEditList = false

    @OptionGroup var outputOptions: OutputOptions

    @OptionGroup var codec: CodecOptions

    @OptionGroup var encoder: EncoderOptions

    @OptionGroup var decoder: DecoderOptions

    @OptionGroup var parallel: ParallelOptions

    @Flag(name: .shortAndLong, help: "Print no progress and no summary.")
    var quiet = false

    func validate() throws {
        try outputOptions.check(output)
        if let frames, frames < 1 { throw ValidationError("--frames is \(frames); expected 1 or more") }
        if let name = parallel.name { try checkChunks(name) }
    }

    /// Throws for options that do not work with chunks. Workers open the input themselves and encode all of it.
    private func checkChunks(_ name: String) throws {
        let others = [
            (track != nil, "--track"), (frames != nil, "--frames"), (encoder.measure, "--measure"),
            (outputOptions.parameterSetsInBand, "--parameter-sets-in-band"),
            (!decoder.texts.isEmpty, "--decoder-property"),
        ]
        if let (_, option) = others.first(where: \.0) {
            throw ValidationError("\(name) excludes \(option); leave one out")
        }
        let ofFrames = [
            (range.start != nil, "--start"), (range.end != nil, "--end"), (shape.size != nil, "--size"),
            (shape.crop != nil, "--crop"),
        ]
        if let (_, option) = ofFrames.first(where: \.0) {
            throw ValidationError(
                "\(name) excludes \(option), because the workers encode all frames as they are; leave one out")
        }
        if codec.codec == .hevc || outputOptions.container(of: output).kind == .hevc {
            throw ValidationError(
                "\(name) excludes --codec hevc, because chunks of H.265 are not joined; leave one out")
        }
        if encoder.quality != nil {
            throw ValidationError(
                "\(name) excludes --quality, because it makes two passes for --bit-rate; leave one out")
        }
        if input == "-" {
            throw ValidationError("\(name) needs an input file with a name, because every worker opens it")
        }
        if output == "-" || Publisher.isAddress(output) {
            throw ValidationError("\(name) needs an output file with a name")
        }
    }

    func run() throws {
        FFmpegLog.silence()
        let codec = try codec.codec(of: [(outputOptions.container(of: output), output)], encoder: encoder.identifier)
        let asked = try encoder.settings(codec: codec)
        let decoding = try decoder.options()
        if let name = parallel.name {
            if encoder.identifier != nil {
                throw Failure.usage("\(name) makes two passes with x264; leave --encoder out")
            }
            return try inChunks(name, asked)
        }
        let input = try InputFile(path: input)
        let container = outputOptions.container(of: output)
        let output = try OutputFile(
            path: output, replaces: outputOptions.force, input: input, container: container,
            allowsAddress: true)
        let file = try MediaFile(input, track: track, format: inputFormat, ignoresEditList: ignoreEditList)
        let source = try DecodedFrames(
            file, limit: frames, range: range.range, shape: shape.shape, sortsByTime: true,
            options: decoding)
        try EncodeRun(
            source, to: output, as: container, codec: codec, asked: asked, encoder: encoder.identifier, isQuiet: quiet
        ).run()
    }

    private func inChunks(_ name: String, _ asked: [(key: PropertyKey, value: PropertyValue?)]) throws {
        guard case .integer(let rate) = asked.last(where: { $0.key == .averageBitRate })?.value else {
            throw Failure.usage("\(name) makes two passes, which need a rate; add --bit-rate")
        }
        // Only the workers of the Python package open an address.
        if input.contains("://") { try inPython(name, rate, asked) }
        let input = try InputFile(path: input)
        let container = outputOptions.container(of: output)
        let output = try OutputFile(
            path: output, replaces: outputOptions.force, input: input, container: container, isPending: true)
        let preview = preview(input, to: output, as: container, asked)
        let settings = preview.metadata + asked
        guard let workers = parallel.workers else { try inPython(name, rate, settings) }
        let (path, format, ignoresEditList) = (self.input, inputFormat?.name, ignoreEditList)
        let seen = SeenSignals()
        let source = FileChunkSource(
            name: path,
            open: { () throws(NaluError) in
                try Reader(path: path, format: format, ignoresEditList: ignoresEditList)
            }, onFormat: { seen.add($0, at: $1) })
        var options = ChunkPlanOptions(bitRate: Int(rate))
        options.properties = settings
        try ChunkedRun(
            file: MediaFile(input, format: inputFormat, ignoresEditList: ignoreEditList), source: source,
            output: output, container: container, options: options, workerCount: workers, path: "\(target.path).chunks",
            resumes: parallel.resume, isQuiet: quiet, seen: seen, changes: preview.changes
        ).run()
    }

    private func inPython(
        _ name: String, _ rate: Int64, _ settings: [(key: PropertyKey, value: PropertyValue?)]
    ) throws -> Never {
        var arguments = ["--bit-rate", String(rate)]
        if let workers = parallel.workers { arguments += ["--workers", String(workers)] }
        if let dask = parallel.dask { arguments += ["--dask=\(dask)"] }
        for (key, value) in settings where key != .averageBitRate {
            arguments += ["--property=\(key.rawValue)=\(JSONValue(value).text)"]
        }
        if let inputFormat { arguments += ["--input-format=\(inputFormat.name)"] }
        if let container = outputOptions.container { arguments += ["--container=\(container.rawValue)"] }
        let flags = [
            (parallel.resume, "--resume"), (ignoreEditList, "--ignore-edit-list"),
            (outputOptions.fragmented, "--fragmented"),
            (outputOptions.fastStart, "--fast-start"), (outputOptions.force, "--force"), (quiet, "--quiet"),
        ]
        arguments += flags.filter(\.0).map(\.1)
        try ParallelRun(arguments + ["--", input, output], for: name).run()
    }
}

extension TranscodeCommand {
    /// Prints what the output will lose, and returns the facts about the first frame. If the input cannot be decoded, the
    /// workers report this.
    private func preview(
        _ input: InputFile, to output: OutputFile, as container: OutputContainer,
        _ asked: [(key: PropertyKey, value: PropertyValue?)]
    ) -> EncodeRun.Preview {
        guard let file = try? MediaFile(input, format: inputFormat, ignoresEditList: ignoreEditList),
            let source = try? DecodedFrames(file, limit: 1, options: DecompressionSession.Options()),
            case let run = EncodeRun(source, to: output, as: container, codec: .h264, asked: asked, isQuiet: true),
            let preview = try? run.preview()
        else { return EncodeRun.Preview() }
        if let line = preview.line, !quiet { Console.error(line) }
        return preview
    }
}

extension JSONValue {
    fileprivate init(_ value: PropertyValue?) {
        switch value {
        case nil: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .numbers(let values): self = .array(values.map { .number($0) })
        }
    }
}

/// The options to encode a video in chunks with several workers.
struct ParallelOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Encode in chunks, by this number of threads, in two passes. Needs --bit-rate.",
            valueName: "number"))
    var workers: Int?

    @Option(
        help: ArgumentHelp(
            "Encode in chunks, by the workers of the Dask cluster whose scheduler has this address, such as tcp://10.0.0.1:8786. Needs --bit-rate and the Python package nalu-video.",
            valueName: "address"))
    var dask: String?

    @Flag(help: "With --workers or --dask: continue with the finished chunks of a run that failed or was interrupted.")
    var resume = false

    /// The option that selects chunks; nil if neither is present.
    var name: String? { workers != nil ? "--workers" : dask != nil ? "--dask" : nil }

    func validate() throws {
        if let workers, workers < 1 { throw ValidationError("--workers is \(workers); expected 1 or more") }
        if workers != nil && dask != nil {
            throw ValidationError("--workers and --dask exclude each other; leave one out")
        }
        if resume && name == nil { throw ValidationError("--resume is for --workers and --dask; add one of them") }
    }
}
