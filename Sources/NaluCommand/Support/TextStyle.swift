private import NaluLibc

/// Colours on a terminal, and plain text elsewhere.
struct TextStyle {
    let isColored: Bool
    /// Columns of the terminal; 80 elsewhere.
    let width: Int

    static let plain = TextStyle(isColored: false, width: 80)

    /// The style for standard output. `NO_COLOR` and `TERM` can switch colours off.
    static var forStandardOutput: TextStyle {
        guard isatty(STDOUT_FILENO) == 1 else { return plain }
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return TextStyle(
            isColored: !isSet("NO_COLOR") && variable("TERM") != "dumb", width: isKnown ? Int(size.ws_col) : 80)
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Returns true if a variable is present and not empty, the convention of no-color.org.
    private static func isSet(_ name: String) -> Bool {
        variable(name)?.isEmpty == false
    }

    func bold(_ text: String) -> String { wrap(text, "1") }
    func faint(_ text: String) -> String { wrap(text, "2") }
    func warning(_ text: String) -> String { wrap(text, "33") }

    /// Colours text by the type of a picture.
    func picture(_ kind: PictureKind, _ text: String) -> String {
        switch kind {
        case .idr, .cra, .bla: wrap(text, "1;35")
        case .i: wrap(text, "33")
        case .p: wrap(text, "34")
        case .b: wrap(text, "36")
        case .unknown: wrap(text, "2")
        }
    }

    private func wrap(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
