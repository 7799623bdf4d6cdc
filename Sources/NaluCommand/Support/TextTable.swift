/// Rows of text in columns as wide as their widest cell, with two spaces between them.
struct TextTable {
    private var rows: [[String]]
    private let rightAligned: Set<Int>

    /// Columns with numbers are `rightAligned`.
    init(header: [String], rightAligned: Set<Int> = []) {
        rows = [header]
        self.rightAligned = rightAligned
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// One line a row, the last with no newline.
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
            // Nothing follows the last cell that has content.
            while cells.last?.isEmpty == true { cells.removeLast() }
            return cells.enumerated().map { column, cell in
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                if rightAligned.contains(column) { return gap + cell }
                return column == cells.count - 1 ? cell : cell + gap
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
