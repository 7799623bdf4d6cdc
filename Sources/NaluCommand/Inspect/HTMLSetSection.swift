internal import Nalu

/// The page's section with parameter sets and SEI messages.
struct HTMLSetSection {
    private let analysis: StreamAnalysis

    private static let maximumMessages = 20

    init(_ analysis: StreamAnalysis) {
        self.analysis = analysis
    }

    var html: String {
        var html = ""
        if !analysis.parameterSets.records.isEmpty {
            html += "<h2>Parameter sets</h2>\n"
            for (index, record) in analysis.parameterSets.records.enumerated() {
                html += set(record, isOpen: index < 2)
            }
            let omitted = analysis.parameterSets.omittedCount
            if omitted > 0 { html += "<p class=\"soft\">and \(NumberText.count(omitted, "other set"))</p>\n" }
        }
        if !analysis.messages.isEmpty {
            html += "<h2>SEI messages</h2>\n"
            for summary in analysis.messages { html += messages(summary) }
        }
        return html
    }

    private func set(_ record: ParameterSetRecord, isOpen: Bool) -> String {
        let place = record.offset.map { "at byte \($0)" } ?? "from outside the stream"
        var html = "<details\(isOpen ? " open" : "")><summary>\(record.kind.rawValue) "
        html += "\(record.id.map { "\($0)" } ?? "?") <span class=\"soft\">\(place), \(record.bytes.count) bytes, "
        html += "\(NumberText.count(record.count, "time"))</span></summary>\n"
        if let error = record.error { html += "<p>\(HTMLText.escaped(error))</p>\n" }
        return html + fields(record.elements) + "</details>\n"
    }

    private func fields(_ elements: [SyntaxElement]) -> String {
        guard !elements.isEmpty else { return "" }
        var html = "<dl class=\"fields\">"
        for row in ElementRows.rows(elements) {
            html += "<div><dt>\(breakable(row.name))</dt><dd>\(HTMLText.escaped(row.value))</dd></div>\n"
        }
        return html + "</dl>\n"
    }

    /// Returns HTML for a name that allows line breaks after underscores.
    private func breakable(_ name: String) -> String {
        HTMLText.escaped(name).split(separator: "_", omittingEmptySubsequences: false).joined(separator: "_<wbr>")
    }

    private func messages(_ summary: SEISummary) -> String {
        var html = "<details><summary>\(HTMLText.escaped(summary.type.name)) <span class=\"soft\">type "
        html +=
            "\(summary.type.rawValue), \(NumberText.count(summary.count, "time")), \(QuantityFormat.bytes(summary.bytes))"
        html += "</span></summary>\n"
        let rows = summary.messages.prefix(Self.maximumMessages).map { message in
            ["\(message.offset)", "\(message.size)", content(message)]
        }
        html += HTMLText.table(
            caption: "Messages of type \(summary.type.rawValue)", header: ["Byte", "Size", "Content"], numbers: [0, 1],
            rows: rows)
        if summary.count > rows.count { html += "<p class=\"soft\">and \(summary.count - rows.count) more</p>\n" }
        return html + "</details>\n"
    }

    private func content(_ message: SEIRecord) -> String {
        let text =
            message.text
            ?? (message.elements.isEmpty ? message.uuid ?? "not decoded" : ElementRows.line(message.elements))
        return "<span class=\"wide\">\(HTMLText.escaped(text))</span>"
    }
}

/// Syntax elements for people: one row per name; the values of a loop share a row.
enum ElementRows {
    static func rows(_ elements: [SyntaxElement]) -> [(name: String, value: String)] {
        var rows: [(name: String, values: [Int])] = []
        var places: [String: Int] = [:]
        for element in elements {
            // An HRD repeats several names for each schedule. A second HRD begins with cpb_cnt_minus1 again.
            if element.name == "cpb_cnt_minus1" { places.removeAll() }
            if let place = places[element.name] {
                rows[place].values.append(element.value)
            } else {
                places[element.name] = rows.count
                rows.append((element.name, [element.value]))
            }
        }
        return rows.map { row in
            let shown = row.values.prefix(16).map(String.init).joined(separator: " ")
            return (row.name, row.values.count > 16 ? "\(shown) … (\(row.values.count) values)" : shown)
        }
    }

    /// Returns the elements on one line, for example "recovery_frame_cnt 0, exact_match_flag 1".
    static func line(_ elements: [SyntaxElement]) -> String {
        rows(elements).map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    }
}
