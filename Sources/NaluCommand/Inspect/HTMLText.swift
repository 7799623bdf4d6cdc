/// Builds parts of HTML.
enum HTMLText {
    /// Escapes text for elements and attributes. Control characters, which HTML does not allow, become the replacement
    /// character.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns a table that scrolls sideways if it is too wide. Cells contain HTML; the columns in `numbers` are
    /// right-aligned.
    static func table(
        caption: String, header: [String], numbers: Set<Int>, rows: some Sequence<[String]>
    ) -> String {
        func mark(_ column: Int) -> String { numbers.contains(column) ? " class=\"n\"" : "" }
        var html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(escaped(caption))\">"
        html += "<table><caption>\(escaped(caption))</caption><thead><tr>"
        for (column, title) in header.enumerated() {
            html += "<th scope=\"col\"\(mark(column))>\(escaped(title))</th>"
        }
        html += "</tr></thead><tbody>\n"
        for row in rows {
            html += "<tr>"
            for (column, cell) in row.enumerated() {
                html += "<td\(mark(column))>\(cell)</td>"
            }
            html += "</tr>\n"
        }
        return html + "</tbody></table></div>\n"
    }

    /// Returns a coloured square and the name of a picture type.
    static func kind(_ kind: PictureKind) -> String {
        "<span class=\"key \(kind.styleClass)\"></span>\(escaped(kind.rawValue))"
    }
}

extension PictureKind {
    /// The CSS class with the colour of this picture type.
    var styleClass: String {
        switch self {
        case .idr: "k-idr"
        case .cra: "k-cra"
        case .bla: "k-bla"
        case .i: "k-i"
        case .p: "k-p"
        case .b: "k-b"
        case .unknown: "k-u"
        }
    }
}
