/// Formats rows of text in columns as wide as their widest cell, with two spaces between columns.
struct TextTable {
    private var rows: [[String]]
    private let rightAligned: Set<Int>

    /// - Parameter rightAligned: the indices of columns with numbers.
    init(header: [String], rightAligned: Set<Int> = []) {
        rows = [header]
        self.rightAligned = rightAligned
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// The table with one line per row, without a newline at the end.
    var text: String {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            var cells = row
            // Trailing empty cells would only add spaces at the end of the line.
            while cells.last?.isEmpty == true { cells.removeLast() }
            return cells.enumerated().map { column, cell in
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                if rightAligned.contains(column) { return gap + cell }
                return column == cells.count - 1 ? cell : cell + gap
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

extension String {
    /// Returns the string with spaces after it.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// Returns the string with spaces before it.
    func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    /// The text with every line indented by two columns.
    var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }.joined(separator: "\n")
    }

    /// Returns the string with at most `width` characters; an ellipsis replaces the rest.
    func shortened(to width: Int) -> String {
        count <= width ? self : prefix(max(0, width - 1)) + "…"
    }

    /// Breaks the text between words into lines of at most `width` characters. All lines but the first are indented.
    func wrapped(to width: Int, indentation: Int) -> String {
        var lines: [String] = []
        var line: String?
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            if let begun = line, begun.count + 1 + word.count <= width {
                line = "\(begun) \(word)"
            } else {
                if let line { lines.append(line) }
                line = String(word)
            }
        }
        lines.append(line ?? "")
        return lines.joined(separator: "\n" + String(repeating: " ", count: indentation))
    }
}
