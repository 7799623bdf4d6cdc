private import NaluBase
private import NaluLibc

/// Encodes a video in chunks on a cluster: replaces the process with Python and the module nalu.parallel.
struct ParallelRun {
    /// The arguments of the module's command line.
    private let arguments: [String]
    /// The option that selected chunks, for error messages.
    private let option: String

    /// The Python program. If the package is installed but cannot be imported, its own error message names the missing
    /// library.
    private static let program = """
        import sys
        try:
            from nalu.parallel.__main__ import main
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("nalu"):
                raise
            sys.exit("nalu: " + sys.argv[1] + " needs the Python package nalu-video, which " + (sys.executable or "python3")
                + " does not have; NALU_PYTHON names another Python, and scripts/build_wheel of the sources makes the wheel")
        except ImportError as error:
            sys.exit("nalu: " + str(error))
        sys.exit(main(sys.argv[2:]))
        """

    init(_ arguments: [String], for option: String) {
        self.arguments = arguments
        self.option = option
    }

    /// Replaces the process with Python. Returns only by throwing.
    func run() throws -> Never {
        let python = unsafe getenv("NALU_PYTHON").map { unsafe String(path: $0) } ?? "python3"
        // -P would keep the current directory out of the search for modules, but Python 3.9 lacks it. -c alone puts
        // that directory first.
        let words = [python, "-c", "import sys; sys.path[:1] = []\n" + Self.program, option] + arguments
        var pointers = unsafe words.map { unsafe strdup($0.pathBytes) }
        unsafe pointers.append(nil)
        _ = unsafe execvp(python.pathBytes, pointers)
        let failure = Failure.system("\(option) needs Python, and \(python) cannot be run")
        unsafe pointers.forEach { unsafe free($0) }
        throw failure
    }
}
