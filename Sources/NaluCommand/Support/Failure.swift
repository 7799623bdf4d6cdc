internal import ArgumentParser
internal import Nalu
private import NaluLibc

/// The error of a subcommand: an error message with a remedy.
struct Failure: Error {
    let message: String
    let exitCode: Int32
    /// True if the output could not be written. Encoders and containers keep frames in memory, so the number of frames
    /// in the output is then unknown.
    let isOfOutput: Bool

    init(_ message: String, isOfOutput: Bool = false) {
        self.message = message
        self.isOfOutput = isOfOutput
        exitCode = 1
    }

    private init(usage message: String) {
        self.message = message
        isOfOutput = false
        exitCode = EX_USAGE
    }

    /// Creates the error for settings that a session refuses, or for another failure of a session.
    init(ofSettings error: NaluError) {
        let refusals: [Status] = [
            .propertyNotSupported, .propertyReadOnly, .wrongType, .outOfRange, .conflict, .parameter,
        ]
        self = refusals.contains(error.status) ? .usage(error.message) : Failure(error.message)
    }

    /// Creates the error for a command line that is wrong for any input.
    static func usage(_ message: String) -> Failure {
        Failure(usage: message)
    }

    /// Creates the error for a failed system call, for example "cannot read clip.y4m: No such file or directory".
    static func system(_ what: String, _ number: Int32 = errno, isOfOutput: Bool = false) -> Failure {
        Failure("\(what): \(unsafe String(cString: strerror(number)))", isOfOutput: isOfOutput)
    }

    /// Creates the error for an input that cannot be opened.
    static func unreadable(_ path: String, _ number: Int32 = errno) -> Failure {
        path.isEmpty
            ? usage("the name of the input is empty; expected a file name, or - for standard input")
            : system("cannot open \(path)", number)
    }

    /// Creates the error for a file that cannot be created.
    static func unwritable(_ path: String, _ number: Int32 = errno) -> Failure {
        let directory = Self.directory(of: path)
        return Failure(
            "\(system("cannot write \(path)", number).message)\(number == ENOENT ? "; create the directory \(directory) first" : "")"
        )
    }

    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Writes one line to standard error and ends the process.
    static func end(with error: any Error) -> Never {
        switch error {
        case let code as ExitCode:
            exit(code.rawValue)
        case let failure as Failure:
            Console.error("nalu: \(failure.message)")
            exit(failure.exitCode)
        case let error as NaluError:
            Console.error("nalu: \(error.message)")
            exit(1)
        default:
            Console.error("nalu: \(message(of: error)) (see \(helpCommand(for: error)))")
            exit(RootCommand.exitCode(for: error).rawValue)
        }
    }

    /// Joins the lines of the parser's message. The parser lists the values of an option on separate lines.
    private static func message(of error: any Error) -> String {
        var text = ""
        for line in RootCommand.message(for: error).split(separator: "\n") {
            let isItem = line.hasPrefix("  - ")
            let words = isItem ? line.dropFirst(4) : line
            text += (text.isEmpty ? "" : isItem && !text.hasSuffix(":") ? ", " : " ") + words
        }
        let first = text.prefix(1).lowercased() + text.dropFirst()
        return first.hasSuffix(".") ? String(first.dropLast()) : first
    }

    /// Returns the help command for the subcommand that the user meant. The parser's long message ends with "See 'nalu
    /// encode --help' for ...".
    private static func helpCommand(for error: any Error) -> String {
        let parts = RootCommand.fullMessage(for: error).split(separator: "'")
        return parts.last { $0.hasPrefix("nalu ") && $0.hasSuffix(" --help") }.map(String.init) ?? "nalu --help"
    }
}
