internal import ArgumentParser

/// How many pictures a contact sheet has, "4x3": columns and rows.
struct SheetSize {
    let columns: Int
    let rows: Int

    var count: Int { columns * rows }

    static func read(_ argument: String) throws -> SheetSize {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let columns = Int(parts[0]), let rows = Int(parts[1]), (1...40).contains(columns),
            (1...40).contains(rows)
        else { throw ValidationError("expected columns and rows, each from 1 to 40, such as 4x3") }
        return SheetSize(columns: columns, rows: rows)
    }
}
