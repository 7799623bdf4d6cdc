/// Formats quantities for the reports.
enum QuantityFormat {
    /// Returns a number with at most three decimals and no trailing zeros: 25, 29.97, 23.976.
    static func short(_ value: Double) -> String {
        var text = NumberText.decimal(value, places: 3)
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    /// Returns a size: "912 B", "34.1 kB", "1.20 MB".
    static func bytes(_ count: Int) -> String {
        NumberText.scaled(Double(count), unit: "B")
    }

    /// Returns a bit rate: "850 b/s", "1832 kb/s", "12.4 Mb/s". Kilobits go up to ten thousand, as is usual for bit
    /// rates.
    static func bitRate(_ rate: Double) -> String {
        if rate < 1000 { return "\(NumberText.decimal(rate, places: 0)) b/s" }
        if rate < 9_999_500 { return "\(NumberText.decimal(rate / 1000, places: 0)) kb/s" }
        return "\(NumberText.decimal(rate / 1_000_000, places: 1)) Mb/s"
    }

    /// Returns a duration: "5.28 s", "3:07 min", "1:02:45 h".
    static func duration(_ seconds: Double) -> String {
        if seconds < 60 { return "\(NumberText.decimal(seconds, places: 2)) s" }
        return NumberText.clock(seconds) + (seconds < 3600 ? " min" : " h")
    }

    /// Returns a percentage: "41.3 %".
    static func share(_ part: Int, of whole: Int) -> String {
        "\(NumberText.decimal(100 * Double(part) / Double(max(1, whole)), places: 1)) %"
    }

    /// Returns an integer with a thin space between thousands, for pages.
    static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "\u{2009}" }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + text
    }
}
