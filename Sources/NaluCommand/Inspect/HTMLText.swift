/// Pieces of HTML.
enum HTMLText {
    /// Text that stands for itself, inside elements and attributes. Control characters, which HTML has none of, become
    /// the replacement character.
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

    /// A table that scrolls sideways where it is too wide. Cells are HTML; the columns of `numbers` stand right.
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

    /// A coloured square before the name of a kind of picture.
    static func kind(_ kind: PictureKind) -> String {
        "<span class=\"key \(kind.styleClass)\"></span>\(escaped(kind.rawValue))"
    }
}

extension PictureKind {
    /// The class of its colour in the page.
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
