internal import ArgumentParser

/// The output that a command names: its second argument, or `-o`.
struct OutputName: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The output file, - for standard output, or an address such as rtmp://HOST/APPLICATION/NAME.",
            valueName: "output"), completion: .file())
    var argument: String?

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("The output file, in place of the second argument.", valueName: "file"), completion: .file())
    var option: String?

    /// The path; nil if the command names none.
    var path: String? { option ?? argument }

    func validate() throws {
        if let argument, let option {
            throw ValidationError("the output is \(argument), and --output names \(option); leave one out")
        }
    }
}

/// The output path of a command that has one.
struct OutputPath: ParsableArguments {
    @OptionGroup var name: OutputName

    /// The path; not empty after ``validate()``.
    var path: String { name.path ?? "" }

    func validate() throws {
        if name.path == nil {
            throw ValidationError("there is no output; name a file after the input, or with --output")
        }
        if path.isEmpty {
            throw ValidationError("the name of the output is empty; expected a file name, or - for standard output")
        }
    }
}
