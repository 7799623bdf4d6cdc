internal import ArgumentParser
private import Glibc
private import Nalu

/// What a subcommand throws when it cannot do what it was asked to: a sentence with the remedy, and exit code 1.
struct Failure: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// The sentence of a failed system call, for example "cannot read clip.y4m: No such file or directory".
    static func system(_ what: String, _ number: Int32 = errno) -> Failure {
        Failure("\(what): \(unsafe String(cString: strerror(number)))")
    }

    /// Writes one line to standard error and ends the process.
    static func end(with error: any Error) -> Never {
        switch error {
        case let code as ExitCode:
            exit(code.rawValue)
        case let failure as Failure:
            Console.error("nalu: \(failure.message)")
            exit(1)
        case let error as NaluError:
            Console.error("nalu: \(error.message)")
            exit(1)
        default:
            let message = RootCommand.message(for: error)
            let sentence = message.hasSuffix(".") ? String(message.dropLast()) : message
            Console.error("nalu: \(sentence) (\(helpCommand(for: error)) says more)")
            exit(RootCommand.exitCode(for: error).rawValue)
        }
    }

    /// The parser knows which subcommand was meant: its long message ends with "See 'nalu encode --help' for ...".
    private static func helpCommand(for error: any Error) -> String {
        let parts = RootCommand.fullMessage(for: error).split(separator: "'")
        return parts.last { $0.hasPrefix("nalu ") && $0.hasSuffix(" --help") }.map(String.init) ?? "nalu --help"
    }
}
