internal import Nalu

/// Syntax elements for people: one row a name, the values of a loop in one row.
enum ElementRows {
    static func rows(_ elements: [SyntaxElement]) -> [(name: String, value: String)] {
        var rows: [(name: String, values: [Int])] = []
        var places: [String: Int] = [:]
        for element in elements {
            // An HRD's schedules repeat several names in turn; the second HRD begins with its count again.
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

    /// "recovery_frame_cnt 0, exact_match_flag 1".
    static func line(_ elements: [SyntaxElement]) -> String {
        rows(elements).map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    }
}
