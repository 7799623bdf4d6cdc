/// A plot of frame sizes as bars over time, coloured by picture type, with marks at the start of each group.
struct FramePlot {
    private let analysis: StreamAnalysis
    private let frame: PlotFrame
    /// The number of frames per bar; 1 unless the plot is too narrow for all frames.
    private let step: Int

    private static let maximumBars = 926

    init(_ analysis: StreamAnalysis) {
        self.analysis = analysis
        step = max(1, (analysis.frames.count + Self.maximumBars - 1) / Self.maximumBars)
        frame = PlotFrame(seconds: analysis.curve.duration, highest: Double(analysis.frames.map(\.size).max() ?? 0))
    }

    var caption: String {
        let each =
            step == 1
            ? "Every bar is a frame."
            : "Every bar stands for \(step) frames and shows the largest of each kind."
        return "\(each) Frames in decoding order."
    }

    var svg: String {
        let number = PlotFrame.number
        var svg = "<svg viewBox=\"0 0 \(number(PlotFrame.width)) \(number(PlotFrame.height))\" role=\"img\" "
        svg +=
            "aria-labelledby=\"frames-title frames-text\"><title id=\"frames-title\">Sizes of frames over time</title>"
        svg += "<desc id=\"frames-text\">\(HTMLText.escaped(description))</desc>\n"
        svg += frame.axes(unit: "B") + "\n"
        svg += groupMarks + "\n"
        for first in stride(from: 0, to: analysis.frames.count, by: step) {
            svg += bar(first..<min(analysis.frames.count, first + step))
        }
        return svg + "</svg>"
    }

    /// A description of the plot in words.
    private var description: String {
        let kinds = analysis.sizes.map {
            "\(NumberText.count($0.count, "\($0.kind.rawValue) frame")) of \(QuantityFormat.bytes(Int($0.mean))) on average and "
                + "\(QuantityFormat.bytes($0.largest)) at most"
        }
        return kinds.joined(separator: "; ")
            + ". \(NumberText.count(analysis.groups.count, "group")) of pictures. The tables below contain the numbers."
    }

    private func time(_ index: Int) -> Double { Double(index) / analysis.rate.value }

    private func bar(_ range: Range<Int>) -> String {
        let number = PlotFrame.number
        let start = frame.x(time(range.lowerBound))
        let full = frame.x(time(range.upperBound)) - start
        let width = full > 3 ? full - min(2, full / 5) : full
        var largest: [PictureKind: Int] = [:]
        for index in range {
            largest[analysis.frames[index].kind] = max(
                largest[analysis.frames[index].kind] ?? 0, analysis.frames[index].size)
        }
        var svg =
            "<g><rect class=\"hit\" x=\"\(number(start))\" y=\"\(number(frame.ceiling))\" width=\"\(number(full))\" "
        svg += "height=\"\(number(frame.floor - frame.ceiling))\"/>"
        for (kind, size) in largest.sorted(by: { $0.value > $1.value }) {
            // Every frame gets a bar of at least one unit, so that it stays visible.
            let height = max(1, frame.floor - frame.y(Double(size)))
            svg += "<rect class=\"\(kind.styleClass)\" x=\"\(number(start))\" y=\"\(number(frame.floor - height))\" "
            svg += "width=\"\(number(width))\" height=\"\(number(height))\"/>"
        }
        return svg + "<title>\(tip(range))</title></g>\n"
    }

    private func tip(_ range: Range<Int>) -> String {
        let first = range.lowerBound
        let place = "\(NumberText.decimal(time(first), places: 2)) s"
        guard range.count == 1 else {
            let bytes = analysis.frames[range].reduce(0) { $0 + $1.size }
            return "frames \(first) to \(range.upperBound - 1), from \(place), \(QuantityFormat.bytes(bytes)) together"
        }
        let record = analysis.frames[first]
        let qp = record.qp.map { ", QP \(NumberText.decimal($0, places: 0))" } ?? ""
        let kind = record.kind == .unknown ? "not readable" : "\(record.kind.rawValue)"
        return "frame \(first), \(place): \(kind), \(record.size) bytes\(qp), shown as number \(record.display)"
    }

    /// Returns the mark of a group's start, for the legend.
    static func flagKey(isClosed: Bool) -> String {
        "<svg class=\"mark gop\" viewBox=\"-1 -1 11 11\" aria-hidden=\"true\">"
            + "<path class=\"\(isClosed ? "flag-key flag" : "flag-key flag open")\" d=\"M0 0h8l-8 8z\"/></svg>"
    }

    /// Lines at the start of each group, shortened to their upper ends if they would cover the plot.
    private var groupMarks: String {
        let number = PlotFrame.number
        let isDense = Double(analysis.groups.count) > frame.plotWidth / 12
        let every = max(1, analysis.groups.count / 900)
        var svg = "<g class=\"gop\">"
        for index in stride(from: 0, to: analysis.groups.count, by: every) {
            let group = analysis.groups[index]
            let x = frame.x(time(group.firstFrame))
            let top = number(frame.ceiling - 12)
            if isDense {
                svg += "<path d=\"M\(number(x)) \(top)v6\"/>"
            } else {
                svg += "<path class=\"line\" d=\"M\(number(x)) \(number(frame.ceiling - 4))V\(number(frame.floor))\"/>"
                svg += "<path class=\"\(group.isClosed ? "flag" : "flag open")\" d=\"M\(number(x)) \(top)h8l-8 8z\"/>"
            }
        }
        return svg + "</g>"
    }
}
