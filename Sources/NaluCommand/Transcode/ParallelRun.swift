private import NaluLibc

/// Encodes a film in parts: becomes Python with the module nalu.parallel, which starts processes or asks a cluster.
struct ParallelRun {
    /// Of the module's command line.
    private let arguments: [String]
    /// What asked for it, for sentences.
    private let option: String

    /// An installed package that cannot be imported has a sentence of its own, which names the library that is missing.
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

    /// Returns by throwing only: the process goes on as Python.
    func run() throws -> Never {
        let python = unsafe getenv("NALU_PYTHON").map { unsafe String(cString: $0) } ?? "python3"
        // -P would keep the current folder out of the search for modules, but is not in Python 3.9; -c alone puts it first.
        let words = [python, "-c", "import sys; sys.path[:1] = []\n" + Self.program, option] + arguments
        var pointers = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        _ = unsafe execvp(python, pointers)
        let failure = Failure.system("\(option) needs Python, and \(python) cannot be run")
        unsafe pointers.forEach { unsafe free($0) }
        throw failure
    }
}
