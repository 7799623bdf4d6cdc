/// Formats numbers for people.
enum NumberText {
    /// Returns a number with `places` decimals; "0.0" and the like if it is not finite.
    static func decimal(_ number: Double, places: Int) -> String {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = ((number.isFinite ? number : 0) * scale).rounded()
        guard scaled.magnitude < 1e15 else { return "\(number)" }
        let digits = Int64(scaled)
        let whole = digits.magnitude / UInt64(scale)
        let sign = digits < 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(whole)" }
        let fraction = String(digits.magnitude % UInt64(scale))
        return "\(sign)\(whole)." + String(repeating: "0", count: places - fraction.count) + fraction
    }

    /// Returns a number with three digits and a decimal prefix: "812 B", "1.24 MB", "37.2 kb/s".
    static func scaled(_ number: Double, unit: String) -> String {
        let prefixes = ["", "k", "M", "G", "T"]
        var value = number.isFinite ? number : 0
        var index = 0
        while value >= 999.5 && index < prefixes.count - 1 {
            value /= 1000
            index += 1
        }
        let places = index == 0 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        return "\(decimal(value, places: places)) \(prefixes[index])\(unit)"
    }

    /// Returns a duration: "0:07", "12:30", "1:02:03".
    static func clock(_ seconds: Double) -> String {
        let total = Int(max(0, min(seconds.isFinite ? seconds : 0, 3_599_999)).rounded())
        let (hours, minutes, rest) = (total / 3600, total / 60 % 60, total % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }

    /// Returns a count with its noun: "1 frame", "2 frames".
    static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}
