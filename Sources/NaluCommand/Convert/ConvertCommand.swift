internal import ArgumentParser

/// The subcommand `nalu convert`.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a stream of H.264 or H.265 from Annex B to length prefixes, or back.",
        discussion: """
            NAL units stay as they are; only the start codes or length prefixes between them change. Start codes are \
            written with 4 bytes, so a stream without shorter ones is restored byte for byte. The stream is read once, in \
            blocks, and may have any size.

            Examples:
              nalu convert clip.h264 -o clip.lengths
              nalu convert clip.lengths -o clip.h264
            """)

    @Argument(help: "The stream, or - for standard input.", completion: .file())
    var file: String

    @OptionGroup var target: OutputPath

    var output: String { target.path }

    @Flag(name: .shortAndLong, help: "Replace the output file if it exists.")
    var force = false

    @Option(help: "The format to write: annexb or length-prefixed; by default the one that the input does not have.")
    var to: TargetFraming?

    @Option(help: ArgumentHelp("The size of the length prefixes to write: 1, 2 or 4 bytes.", valueName: "bytes"))
    var toLengthSize: Int?

    @OptionGroup(title: "Format of the input stream")
    var framing: StreamFramingOptions

    func validate() throws {
        if let toLengthSize {
            if ![1, 2, 4].contains(toLengthSize) {
                throw ValidationError("--to-length-size is \(toLengthSize); expected 1, 2 or 4")
            }
            if to == .annexb {
                throw ValidationError(
                    "--to-length-size is for --to length-prefixed, not for annexb; leave one of them out")
            }
        }
    }

    func run() throws {
        let input = try SequentialInput(path: file)
        if output != "-", input.isSameFile(as: output) {
            throw Failure("the output \(output) is the input itself; name another file")
        }
        let stream = try UnitReader(input, stated: framing.stated(try framing.outsideSets()))
        let written = try BufferedOutput(path: output, replaces: force, isText: false)
        let writer = UnitWriter(to: written, framing: framing(after: stream.framing), inputName: input.name)
        let result: UnitReader.Result
        do {
            result = try stream.read(limit: { _ in UnitWriter.maximumUnitSize }, writer.write)
            try writer.finish()
        } catch {
            written.discard()
            throw error
        }
        guard let complaint = result.complaints.first else { return }
        let place = output == "-" ? "standard output" : output
        throw Failure(
            "\(input.name) is corrupt at byte \(complaint.offset): \(complaint.message); \(place) has all intact NAL units"
        )
    }

    /// Returns the framing of the output for an input of `framing`.
    private func framing(after framing: StreamFraming) -> StreamFraming {
        let isAnnexB = to.map { $0 == .annexb } ?? (framing != .annexB && toLengthSize == nil)
        return isAnnexB ? .annexB : .lengthPrefixed(toLengthSize ?? 4)
    }
}

/// The values of `--to`.
enum TargetFraming: String, ExpressibleByArgument, CaseIterable {
    case annexb
    case lengthPrefixed = "length-prefixed"
}
