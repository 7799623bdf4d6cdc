internal import ArgumentParser
private import Nalu
private import NaluLibc

/// What a subcommand throws when it cannot do what it was asked to: a sentence with the remedy.
struct Failure: Error {
    let message: String
    let exitCode: Int32

    init(_ message: String) {
        self.message = message
        exitCode = 1
    }

    private init(usage message: String) {
        self.message = message
        exitCode = EX_USAGE
    }

    /// Whatever the files hold, this command line will not do.
    static func usage(_ message: String) -> Failure {
        Failure(usage: message)
    }

    /// The sentence of a failed system call, for example "cannot read clip.y4m: No such file or directory".
    static func system(_ what: String, _ number: Int32 = errno) -> Failure {
        Failure("\(what): \(unsafe String(cString: strerror(number)))")
    }

    /// The sentence for an input that cannot be opened.
    static func unreadable(_ path: String, _ number: Int32 = errno) -> Failure {
        path.isEmpty
            ? usage("the name of the input is empty; expected that of a file, or - for standard input")
            : system("cannot open \(path)", number)
    }

    /// The sentence for a file that cannot be made.
    static func unwritable(_ path: String, _ number: Int32 = errno) -> Failure {
        let folder = Self.folder(of: path)
        return Failure(
            "\(system("cannot write \(path)", number).message)\(number == ENOENT ? "; make the folder \(folder) first" : "")"
        )
    }

    static func folder(of path: String) -> String {
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
            Console.error("nalu: \(sentence(of: error)) (\(helpCommand(for: error)) says more)")
            exit(RootCommand.exitCode(for: error).rawValue)
        }
    }

    /// The parser's message on one line: it lists the values of an option one below the other.
    private static func sentence(of error: any Error) -> String {
        var text = ""
        for line in RootCommand.message(for: error).split(separator: "\n") {
            let isItem = line.hasPrefix("  - ")
            let words = isItem ? line.dropFirst(4) : line
            text += (text.isEmpty ? "" : isItem && !text.hasSuffix(":") ? ", " : " ") + words
        }
        let first = text.prefix(1).lowercased() + text.dropFirst()
        return first.hasSuffix(".") ? String(first.dropLast()) : first
    }

    /// The parser knows which subcommand was meant: its long message ends with "See 'nalu encode --help' for ...".
    private static func helpCommand(for error: any Error) -> String {
        let parts = RootCommand.fullMessage(for: error).split(separator: "'")
        return parts.last { $0.hasPrefix("nalu ") && $0.hasSuffix(" --help") }.map(String.init) ?? "nalu --help"
    }
}
