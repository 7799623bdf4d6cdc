internal import ArgumentParser
internal import Nalu

/// The options for a range of the input.
struct RangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Leave out the frames before this time of the input, in seconds or [H:]MM:SS. The output begins at 0.",
            valueName: "time"), transform: TimeArgument.read)
    var start: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Leave out the frames at this time of the input and later, in seconds or [H:]MM:SS.", valueName: "time"),
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

/// A time of the input in seconds, minutes or hours, exact to the last digit.
struct TimeArgument: TextArgument {
    static let expected = "seconds or [H:]MM:SS, up to nine decimals, such as 12.5 or 1:30"

    let time: MediaTime
    /// The argument as the user typed it, for error messages.
    let text: String

    init?(_ argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard let last = parts.last, (1...3).contains(parts.count) else { return nil }
        let numbers = last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = numbers.count == 2 ? numbers[1] : ""
        guard decimals.count <= 9, numbers.count == 1 || !decimals.isEmpty else { return nil }
        var seconds: Int64 = 0
        for (index, part) in (parts.dropLast() + [numbers[0]]).enumerated() {
            guard let number = Self.number(part), index == 0 || number < 60 else { return nil }
            seconds = seconds * 60 + number
        }
        guard let fraction = decimals.isEmpty ? 0 : Self.number(decimals) else { return nil }
        let timescale = decimals.reduce(Int32(1)) { scale, _ in scale * 10 }
        time = MediaTime(value: seconds * Int64(timescale) + fraction, timescale: timescale)
        text = argument
    }

    /// Parses digits without a sign. At most nine digits, so that the products above cannot overflow.
    private static func number(_ text: Substring) -> Int64? {
        guard (1...9).contains(text.count), text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int64(text)
    }
}
