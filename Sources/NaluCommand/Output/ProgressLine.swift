internal import NaluBase
private import NaluLibc

/// The line on a terminal during a run: bar, frames, speed, bit rate and remaining time.
final class ProgressLine: Sendable {
    private enum Phase {
        case running, ending, over
    }

    /// The measure of the run's progress.
    private enum Progress {
        /// - total: the number of frames of the run; nil if it is not known.
        /// - frameRate: frames per second, for the bit rate; nil if it is not known.
        case frames(any Counting, total: Int?, frameRate: Double?)
        case share(ShareCounter)
        /// A run of unlimited duration, and the function that returns its state.
        case state(@Sendable () -> [String])
    }

    private let progress: Progress
    private let start = MonotonicClock.seconds
    private let phase = Guarded(Phase.running)
    private let usesColour: Bool

    /// Starts the line. Returns nil unless standard error is a terminal.
    static func start(writer: any Counting, total: Int?, perSecond: Double?) throws(NaluError) -> ProgressLine? {
        try start(.frames(writer, total: total, frameRate: perSecond))
    }

    /// Starts the line of a run of which only the completed share is known. Returns nil unless standard error is a
    /// terminal.
    static func start(share: ShareCounter) throws(NaluError) -> ProgressLine? {
        try start(.share(share))
    }

    /// Starts the line of a run of unlimited duration. `state` returns the parts of the line. Returns nil unless standard
    /// error is a terminal.
    static func start(state: @escaping @Sendable () -> [String]) throws(NaluError) -> ProgressLine? {
        try start(.state(state))
    }

    private static func start(_ progress: Progress) throws(NaluError) -> ProgressLine? {
        guard isatty(STDERR_FILENO) == 1, environment("TERM") != "dumb" else { return nil }
        let line = ProgressLine(progress)
        try WorkerThread.start { line.run() }
        return line
    }

    private init(_ progress: Progress) {
        self.progress = progress
        usesColour = (Self.environment("NO_COLOR") ?? "").isEmpty
    }

    private static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    private func run() {
        while true {
            let isEnding: Void? = phase.wait(milliseconds: 100) { phase in phase == .ending ? () : nil }
            if isEnding != nil { break }
            _ = Console.write("\r" + text(columns: Self.columns) + "\u{1b}[K", to: STDERR_FILENO)
        }
        _ = Console.write("\r\u{1b}[K", to: STDERR_FILENO)
        phase.change { $0 = .over }
    }

    /// Removes the line. Nothing is drawn after this function returns.
    func finish() {
        phase.change { $0 = .ending }
        phase.wait { phase in phase == .over ? () : nil }
    }

    private static var columns: Int {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Returns the line. One column stays free, because some terminals begin a new line after a character in the last
    /// column.
    private func text(columns: Int) -> String {
        let seconds = MonotonicClock.seconds - start
        var parts: [String]
        var done: Double?
        var left: Double?
        switch progress {
        case .frames(let writer, let total, let frameRate):
            let counts = writer.counts
            let frames = counts.frames
            let speed = Double(frames) / max(seconds, 0.001)
            parts = [
                total.map { "\(frames)/\($0)" } ?? NumberText.count(frames, "frame"),
                "\(NumberText.decimal(speed, places: speed < 10 ? 1 : 0)) fps",
            ]
            if let frameRate {
                let rate = Double(counts.bytes) * 8 * frameRate / Double(max(frames, 1))
                parts.append(NumberText.scaled(rate, unit: "b/s"))
            }
            if let total, total > 0 {
                done = min(1, Double(frames) / Double(total))
                if speed > 0 { left = Double(max(0, total - frames)) / speed }
            }
        case .share(let counter):
            parts = []
            done = counter.share
            if counter.share > 0.01 { left = seconds / counter.share - seconds }
        case .state(let state): parts = state()
        }
        var bar = ""
        if Interruption.signal != nil {
            // The frames that are read already are still encoded; their number is not known.
            parts.append("interrupted, finishing")
        } else if let done {
            if let left { parts.append("\(NumberText.clock(left)) left") }
            let percent = String(Int(done * 100))
            let label = String(repeating: " ", count: 3 - percent.count) + percent + "%  "
            let width = min(40, columns - 1 - label.count - 3 - parts.joined(separator: "  ").count - 1)
            bar = (width >= 8 ? self.bar(done, width: width) + " " : "") + label
        } else {
            parts.append(NumberText.clock(seconds))
        }
        let plain = parts.joined(separator: "  ")
        return bar + String(plain.prefix(max(0, columns - 1)))
    }

    private func bar(_ done: Double, width: Int) -> String {
        let full = Int(done * Double(width))
        let marks = String(repeating: "#", count: full)
        let rest = String(repeating: "-", count: width - full)
        return usesColour ? "[\u{1b}[32m\(marks)\u{1b}[0m\(rest)]" : "[\(marks)\(rest)]"
    }
}
