/// The axes of a plot: time to the right, a quantity upwards.
struct PlotFrame {
    let seconds: Double
    /// The quantity at the upper end of the axis.
    let top: Double
    private let step: Double

    static let width = 1000.0
    static let height = 300.0
    private static let left = 70.0
    private static let right = 988.0
    private static let upper = 20.0
    private static let lower = 268.0

    /// - Parameter highest: the largest value in the plot.
    init(seconds: Double, highest: Double) {
        self.seconds = max(seconds, 1e-6)
        step = Self.niceStep(max(highest, 1) / 4)
        top = step * (max(highest, 1) / step).rounded(.up)
    }

    func x(_ time: Double) -> Double { Self.left + (Self.right - Self.left) * time / seconds }
    func y(_ value: Double) -> Double { Self.lower - (Self.lower - Self.upper) * value / top }
    var plotWidth: Double { Self.right - Self.left }
    var ceiling: Double { Self.upper }
    var floor: Double { Self.lower }

    /// Returns 1, 2, 2.5 or 5 times a power of ten, at least `least`.
    private static func niceStep(_ least: Double) -> Double {
        var power = 1.0
        while power * 10 <= least { power *= 10 }
        while power > least { power /= 10 }
        return power * ([1, 2, 2.5, 5].first { $0 * power >= least } ?? 10)
    }

    /// Returns a coordinate with at most two decimals.
    static func number(_ value: Double) -> String {
        var text = NumberText.decimal(value, places: 2)
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    /// Returns the horizontal lines with their values on the left, and the times below.
    func axes(unit: String) -> String {
        let (prefix, scale) = top >= 2e6 ? ("M", 1e6) : top >= 2e3 ? ("k", 1e3) : ("", 1)
        var svg = "<g class=\"axis\">"
        var value = 0.0
        while value <= top * 1.0001 {
            let place = Self.number(y(value))
            svg +=
                "<line x1=\"\(Self.number(Self.left))\" x2=\"\(Self.number(Self.right))\" y1=\"\(place)\" y2=\"\(place)\"/>"
            svg += "<text x=\"\(Self.number(Self.left - 8))\" y=\"\(Self.number(y(value) + 4))\" class=\"e\">"
            svg += "\(QuantityFormat.short(value / scale))\u{2009}\(prefix)\(unit)</text>"
            value += step
        }
        let pace = timeStep
        var time = 0.0
        while time <= seconds * 1.0001 {
            let isLast = x(time) > Self.right - 24
            svg += "<text x=\"\(Self.number(x(time)))\" y=\"\(Self.number(Self.lower + 20))\""
            svg += "\(isLast ? " class=\"e\"" : time == 0 ? "" : " class=\"m\"")>\(timeLabel(time, pace))</text>"
            time += pace
        }
        return svg + "</g>"
    }

    /// The distance of time labels in seconds, so that the plot has at most eight such steps: round seconds, minutes or
    /// hours.
    private var timeStep: Double {
        let least = seconds / 8
        if least < 10 { return Self.niceStep(least) }
        let steps = [10.0, 15, 30, 60, 120, 300, 600, 900, 1800, 3600]
        return steps.first { $0 >= least } ?? Self.niceStep(least / 3600) * 3600
    }

    private func timeLabel(_ time: Double, _ pace: Double) -> String {
        if seconds >= 120 { return NumberText.clock(time) }
        return "\(NumberText.decimal(time, places: pace < 0.1 ? 2 : pace < 1 ? 1 : 0))\u{2009}s"
    }
}
