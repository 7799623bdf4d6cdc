/// A plot of the bit rate over time.
struct RatePlot {
    private let curve: BitRateCurve
    private let frame: PlotFrame
    private let steps: [(start: Double, end: Double, rate: Double)]

    private let secondsPerStep: Int

    private static let maximumSteps = 240

    init(_ curve: BitRateCurve) {
        self.curve = curve
        let step = max(1, (curve.windows.count + Self.maximumSteps - 1) / Self.maximumSteps)
        var steps: [(start: Double, end: Double, rate: Double)] = []
        for first in stride(from: 0, to: curve.windows.count, by: step) {
            let part = curve.windows[first..<min(curve.windows.count, first + step)]
            let seconds = part.reduce(0) { $0 + $1.duration }
            let bits = part.reduce(0) { $0 + $1.bits }
            steps.append((part[first].start, part[first].start + seconds, Double(bits) / seconds))
        }
        self.steps = steps
        secondsPerStep = step
        frame = PlotFrame(seconds: curve.duration, highest: steps.map(\.rate).max() ?? 0)
    }

    var svg: String {
        let number = PlotFrame.number
        var svg = "<svg viewBox=\"0 0 \(number(PlotFrame.width)) \(number(PlotFrame.height))\" role=\"img\" "
        svg += "aria-labelledby=\"rate-title rate-text\"><title id=\"rate-title\">Bit rate over time</title>"
        svg += "<desc id=\"rate-text\">\(HTMLText.escaped(description))</desc>\n"
        svg += frame.axes(unit: "b/s") + "\n"
        var line = ""
        for (index, step) in steps.enumerated() {
            let y = number(frame.y(step.rate))
            line += index == 0 ? "M\(number(frame.x(step.start))) \(y)" : "V\(y)"
            line += "H\(number(frame.x(step.end)))"
        }
        let floor = number(frame.floor)
        svg +=
            "<path class=\"area\" d=\"\(line)V\(floor)H\(number(frame.x(0)))Z\"/><path class=\"rate\" d=\"\(line)\"/>\n"
        let average = number(frame.y(curve.average))
        svg += "<path class=\"mean\" d=\"M\(number(frame.x(0))) \(average)h\(number(frame.plotWidth))\"/>\n"
        for step in steps {
            svg += "<rect class=\"hit\" x=\"\(number(frame.x(step.start)))\" y=\"\(number(frame.ceiling))\" "
            svg += "width=\"\(number(frame.x(step.end) - frame.x(step.start)))\" "
            svg += "height=\"\(number(frame.floor - frame.ceiling))\"><title>\(NumberText.clock(step.start)) to "
            svg += "\(NumberText.clock(step.end)): \(QuantityFormat.bitRate(step.rate))</title></rect>\n"
        }
        return svg + "</svg>"
    }

    var caption: String {
        let each = secondsPerStep == 1 ? "Every step is a second" : "Every step is \(secondsPerStep) seconds"
        return "\(each) of the stream in decoding order. "
            + "The dashed line is the average, \(QuantityFormat.bitRate(curve.average))."
    }

    private var description: String {
        let lowest = steps.map(\.rate).min() ?? 0
        let highest = steps.map(\.rate).max() ?? 0
        return
            "Between \(QuantityFormat.bitRate(lowest)) and \(QuantityFormat.bitRate(highest)), \(QuantityFormat.bitRate(curve.average)) on "
            + "average over \(QuantityFormat.duration(curve.duration))."
    }
}
