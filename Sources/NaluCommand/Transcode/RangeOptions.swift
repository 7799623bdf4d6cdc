internal import ArgumentParser
internal import Nalu

/// The options for a range of the input.
struct RangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Leave out what is shown before this time of the input, in seconds or [H:]MM:SS. The output begins at 0.",
            valueName: "time"), transform: TimeArgument.read)
    var start: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Leave out what is shown at this time of the input and later, in seconds or [H:]MM:SS.", valueName: "time"),
        transform: TimeArgument.read)
    var end: TimeArgument?

    func validate() throws {
        guard let end else { return }
        if let start, end.time <= start.time {
            throw ValidationError("--end is \(end.text) and --start \(start.text); expected an end after the start")
        }
        if end.time.value == 0 { throw ValidationError("--end is \(end.text); expected a time above 0") }
    }

    var range: FrameRange { FrameRange(start: start?.time, end: end?.time) }
}

/// Frames by presentation time: from `start`, and before `end`.
struct FrameRange {
    var start: MediaTime?
    var end: MediaTime?

    var isAll: Bool { start == nil && end == nil }

    func isBefore(_ time: MediaTime) -> Bool { start.map { time < $0 } ?? false }

    func isAfter(_ time: MediaTime) -> Bool { end.map { time >= $0 } ?? false }

    /// The range for an error message, for example "from 5 s to 10.5 s".
    var text: String {
        [start.map { "from \($0.secondsText) s" }, end.map { "to \($0.secondsText) s" }].compactMap(\.self)
            .joined(separator: " ")
    }
}
