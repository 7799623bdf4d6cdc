internal import Nalu

/// The inspection of a stream as an HTML page without scripts, fonts or network access.
struct HTMLReport {
    private let analysis: StreamAnalysis

    private static let maximumRows = 2000

    init(_ analysis: StreamAnalysis) {
        self.analysis = analysis
    }

    func write(to output: BufferedOutput) throws(Failure) {
        let name = HTMLText.escaped(analysis.name)
        try output.write(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(name) - nalu inspect</title>
            <style>
            \(PageStyle.text)
            </style>
            </head>
            <body>
            <main>

            """)
        try output.write(head)
        if analysis.problemCount > 0 { try output.write(problems) }
        if !analysis.frames.isEmpty {
            try output.write(framePlot)
            if analysis.curve.windows.count > 1 { try output.write(ratePlot) }
            try output.write(pictures)
            try output.write(groups)
        }
        try output.write(HTMLSetSection(analysis).html)
        try output.write(unitTypes)
        if !analysis.frames.isEmpty { try output.write(frames) }
        try output.write(
            """
            <footer>Written by nalu \(ToolVersion.text), <code>nalu inspect --html</code>. The JSON of \
            <code>nalu inspect --json</code> holds every unit.</footer>
            </main>
            </body>
            </html>

            """)
    }

    // MARK: - Head

    private var head: String {
        var html = "<header><h1>\(HTMLText.escaped(analysis.name))</h1>\n<p class=\"soft\">\(analysis.codec.name), "
        html += "\(HTMLText.escaped(place))</p></header>\n<dl class=\"facts\">"
        for fact in leading {
            html += "<div><dt>\(fact.name)</dt><dd>\(HTMLText.escaped(fact.value))"
            html += "<small>\(HTMLText.escaped(fact.detail))</small></dd></div>"
        }
        html += "</dl>\n<dl class=\"rows\">"
        for row in StreamFacts.rows(analysis) where !isTold(row.name) {
            let value = row.name == "encoder" ? StreamFacts.encoderName(row.value) : row.value
            html += "<dt>\(row.name)</dt><dd>\(HTMLText.escaped(value))</dd>\n"
        }
        return html + "</dl>\n"
    }

    /// The container's name, or the framing of a stream without a container.
    private var place: String {
        analysis.container.map { "in \($0.name)" } ?? analysis.framing.name
    }

    /// Returns true if the leading facts already contain this row.
    private func isTold(_ row: String) -> Bool {
        row == "size" || (row == "time" && (analysis.rate.source == .stream || analysis.rate.source == .container))
    }

    /// The most important facts, shown first.
    private var leading: [(name: String, value: String, detail: String)] {
        let curve = analysis.curve
        var facts: [(name: String, value: String, detail: String)] = []
        if let description = analysis.description {
            let set = description.picture
            let profile = "\(description.profile) \(description.level)"
            facts.append(("Picture", "\(set.width)\u{2009}×\u{2009}\(set.height)", profile))
        }
        facts.append(
            (
                "Duration", QuantityFormat.duration(curve.duration),
                "\(NumberText.count(analysis.frames.count, "frame")), \(QuantityFormat.short(analysis.rate.value)) fps"
            ))
        let peak = curve.duration > 1 ? "fullest second \(QuantityFormat.bitRate(curve.peak))" : "on average"
        facts.append(("Bit rate", QuantityFormat.bitRate(curve.average), peak))
        facts.append(
            ("Size", QuantityFormat.bytes(analysis.byteCount), "\(QuantityFormat.grouped(analysis.byteCount)) bytes"))
        let longest = analysis.groups.map(\.frameCount).max() ?? 0
        facts.append(("Groups", "\(analysis.groups.count)", "of \(NumberText.count(longest, "frame")) at most"))
        return facts
    }

    private var problems: String {
        var html = "<section class=\"problems\"><h2>\(NumberText.count(analysis.problemCount, "problem"))</h2><ul>"
        let lines = StreamProblem.lines(analysis.problems)
        for line in lines.prefix(20) { html += "<li>\(HTMLText.escaped(line))</li>\n" }
        let rest = analysis.problemCount - analysis.problems.count
        if lines.count > 20 || rest > 0 { html += "<li>and others</li>" }
        return html + "</ul></section>\n"
    }
}

// MARK: - Plots

extension HTMLReport {
    private var framePlot: String {
        let plot = FramePlot(analysis)
        var html = "<h2>Frame sizes</h2>\n<ul class=\"legend\">"
        for row in analysis.sizes {
            html += "<li>\(HTMLText.kind(row.kind))</li>"
        }
        if analysis.groups.contains(where: \.isClosed) {
            html += "<li>\(FramePlot.flagKey(isClosed: true))closed group begins</li>"
        }
        if analysis.groups.contains(where: { !$0.isClosed }) {
            html += "<li>\(FramePlot.flagKey(isClosed: false))open group begins</li>"
        }
        html += "</ul>\n"
        html +=
            "<figure><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Plot of frame sizes\">\(plot.svg)</div>"
        return html + "<figcaption>\(plot.caption)</figcaption></figure>\n"
    }

    private var ratePlot: String {
        let plot = RatePlot(analysis.curve)
        return """
            <h2>Bit rate</h2>
            <figure><div class="scroll" tabindex="0" role="region" aria-label="Plot of the bit rate">\(plot.svg)</div>
            <figcaption>\(plot.caption)</figcaption></figure>

            """
    }
}

// MARK: - Tables

extension HTMLReport {
    private var pictures: String {
        let total = analysis.sizes.reduce(0) { $0 + $1.bytes }
        let hasQP = analysis.sizes.contains { $0.meanQP != nil }
        let rows = analysis.sizes.map { row in
            let cells = [
                HTMLText.kind(row.kind), QuantityFormat.grouped(row.count), QuantityFormat.bytes(row.bytes),
                QuantityFormat.share(row.bytes, of: total), QuantityFormat.bytes(Int(row.mean)),
                QuantityFormat.bytes(row.smallest),
                QuantityFormat.bytes(row.largest),
            ]
            let qp = row.meanQP.map { NumberText.decimal($0, places: 1) } ?? ""
            return cells + (hasQP ? [qp] : [])
        }
        return "<h2>Pictures</h2>\n"
            + HTMLText.table(
                caption: "Pictures by kind",
                header: ["Kind", "Frames", "Bytes", "Share", "Mean", "Smallest", "Largest"] + (hasQP ? ["QP"] : []),
                numbers: [1, 2, 3, 4, 5, 6, 7], rows: rows)
    }

    private var groups: String {
        let shown = analysis.groups.prefix(Self.maximumRows)
        let rows = shown.lazy.enumerated().map { index, group in
            [
                "\(index)", "\(group.firstFrame)",
                "\(NumberText.decimal(Double(group.firstFrame) / analysis.rate.value, places: 2)) s",
                "\(group.frameCount)", QuantityFormat.bytes(group.bytes),
                QuantityFormat.bitRate(Double(group.bytes * 8) * analysis.rate.value / Double(group.frameCount)),
                group.isClosed ? "closed" : "open", strip(group),
            ]
        }
        let table = HTMLText.table(
            caption: "Groups of pictures",
            header: ["Group", "First frame", "Time", "Frames", "Bytes", "Bit rate", "Kind", "Decoding order"],
            numbers: [0, 1, 2, 3, 4, 5], rows: rows)
        let title = NumberText.count(analysis.groups.count, "group")
        return "<h2>Groups of pictures</h2>\n"
            + details(
                "\(title) <span class=\"soft\">b: a B frame that nothing refers to</span>", table, analysis.groups.count
            )
    }

    private func strip(_ group: GroupRecord) -> String {
        let shown = min(group.frameCount, 60)
        var html = "<span class=\"strip\">"
        for frame in analysis.frames[group.firstFrame..<group.firstFrame + shown] {
            html += "<b class=\"\(frame.kind.styleClass)\">\(frame.letter)</b>"
        }
        return html + (group.frameCount > shown ? " +\(group.frameCount - shown)" : "") + "</span>"
    }

    private var unitTypes: String {
        let rows = analysis.unitCounts.map { row in
            [
                "\(row.type)", HTMLText.escaped(row.name), QuantityFormat.grouped(row.count),
                QuantityFormat.bytes(row.bytes), QuantityFormat.share(row.bytes, of: analysis.byteCount),
            ]
        }
        return "<h2>NAL units</h2>\n"
            + HTMLText.table(
                caption: "NAL units by type", header: ["Type", "Kind", "Units", "Bytes", "Share of the file"],
                numbers: [0, 2, 3, 4], rows: rows)
    }

    private var frames: String {
        let isH264 = analysis.codec == .h264
        let rows = analysis.frames.prefix(Self.maximumRows).lazy.enumerated().map { index, frame in
            [
                "\(index)", "\(frame.display)", HTMLText.kind(frame.kind), frame.isReference ? "yes" : "no",
                "\(frame.offset)", "\(frame.size)", "\(frame.sliceCount)", "\(frame.pictureOrderCount)",
            ] + (isH264 ? Self.numbers(frame) : Self.layer(frame)) + [frame.structure.rawValue]
        }
        let table = HTMLText.table(
            caption: "Frames in decoding order",
            header: ["Frame", "Shown", "Kind", "Reference", "Byte", "Size", "Slices", "POC"]
                + (isH264 ? ["QP", "frame_num"] : ["Sub-layer", "Unit"]) + ["Structure"],
            numbers: isH264 ? [0, 1, 4, 5, 6, 7, 8, 9] : [0, 1, 4, 5, 6, 7, 8], rows: rows)
        return "<h2>Frames</h2>\n"
            + details(
                "\(NumberText.count(analysis.frames.count, "frame")) <span class=\"soft\">in decoding order</span>",
                table,
                analysis.frames.count, isOpen: false)
    }

    private static func numbers(_ frame: PictureRecord) -> [String] {
        [frame.qp.map { NumberText.decimal($0, places: 1) } ?? "", frame.frameNumber.map { "\($0)" } ?? ""]
    }

    private static func layer(_ frame: PictureRecord) -> [String] {
        [frame.layer.map { "\($0.temporalID)" } ?? "", frame.layer?.typeName ?? ""]
    }

    private func details(_ summary: String, _ content: String, _ count: Int, isOpen: Bool = true) -> String {
        var html = "<details\(isOpen ? " open" : "")><summary>\(summary)</summary>\n\(content)"
        if count > Self.maximumRows {
            html += "<p class=\"soft\">and \(count - Self.maximumRows) more, which the JSON report contains</p>\n"
        }
        return html + "</details>\n"
    }
}
