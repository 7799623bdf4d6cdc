@testable import Nalu

/// The text of docs/properties.md, made from the catalogue.
enum PropertiesDocument {
    static var text: String {
        let theirs = UnsupportedPropertyTests.videoToolbox
        let own = PropertyCatalog.all.filter { !theirs.contains($0.key) }.count
        return """
            # Properties

            The properties of a compression session, in the order of the catalogue. The macros, and the details, are in the
            headers of [`include/nalu/properties/`](../include/nalu/properties). A program reads the same descriptions with
            `nalu_property_get_key` and `nalu_property_get_info`, or from `PropertyCatalog` in Swift.

            Of VideoToolbox's \(theirs.count) keys for compression \(PropertyCatalog.all.count - own) are supported and \
            \(PropertyCatalog.unsupported.count) are not; \(own) more are Nalu's own.
            Nalu's own keys begin with `Nalu`; those of one encoder begin with `x264.` or `x265.`.
            [encoders.md](encoders.md) lists the properties that each encoder has.

            This page is written by `scripts/generate_properties_doc`.

            ## Supported

            The type determines the function in C: `nalu_session_set_bool`, or the one that ends in `int64` (integer),
            `double`, `string` or `numbers`. Integers and doubles convert into each other if the result is exact; a bool
            property accepts the integers 0 and 1. Other values are refused with a status and an error message.
            `nalu_session_unset_property` restores the default.

            *Takes effect* is the time of a change. *On opening*: the property is set before the first frame; later it is refused
            with `NALU_STATUS_TOO_LATE`. *Next frame*: the property can also change while encoding, and takes effect with the next
            frame passed to encode. Only the bounds of the QP then cause a key frame. If the time depends on the settings with which the
            encoder was opened, the header describes that.

            | key | type | values | default | access | takes effect | what it is |
            |---|---|---|---|---|---|---|
            \(PropertyCatalog.all.map(row).joined(separator: "\n"))

            \(PropertyCatalog.all.filter(isLong).map(values).joined(separator: "\n\n"))

            ## Not supported

            Setting or reading one of these returns `NALU_STATUS_PROPERTY_NOT_SUPPORTED`, with the reason in the error message.

            | key | why not |
            |---|---|
            \(PropertyCatalog.unsupported.map { "| `\($0.key.rawValue)` | \($0.reason) |" }.joined(separator: "\n"))

            """
    }

    private static func row(_ info: PropertyInfo) -> String {
        let isReadOnly = info.access == .readOnly
        let takesEffect = [PropertyInfo.Access.readOnly: "", .untilOpen: "on opening", .live: "next frame"]
        let cells = [
            "`\(info.key.rawValue)`", "\(info.kind)", allowed(info),
            isReadOnly ? "" : info.defaultText.isEmpty ? "unset" : tidy(info.defaultText),
            isReadOnly ? "read" : "read, write", takesEffect[info.access] ?? "", info.documentation,
        ]
        return "| " + cells.map { escaped($0) }.joined(separator: " | ") + " |"
    }

    private static func allowed(_ info: PropertyInfo) -> String {
        if isLong(info) {
            return "one of \(info.allowedValues.count), see below"
        }
        if let range = info.range {
            let text = tidy("\(range.lowerBound)") + " to " + tidy("\(range.upperBound)")
            // A string property accepts codes as well as names.
            let codes = info.kind == .string ? info.allowedValues.joined(separator: ", ") + "; " : ""
            return codes + (info.kind == .numbers ? text + " each" : text)
        }
        return info.allowedValues.joined(separator: ", ")
    }

    /// Returns true if a cell of the table cannot hold all values.
    private static func isLong(_ info: PropertyInfo) -> Bool { info.allowedValues.count > 10 }

    /// Returns the values as a paragraph with the line length of other documents.
    private static func values(_ info: PropertyInfo) -> String {
        var lines = ["Values of `\(info.key.rawValue)`:"]
        for (index, value) in info.allowedValues.enumerated() {
            let word = "`\(value)`" + (index + 1 < info.allowedValues.count ? "," : ".")
            if lines[lines.count - 1].count + word.count < 120 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(word)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns an integer without its decimal.
    private static func tidy(_ number: String) -> String {
        number.hasSuffix(".0") ? String(number.dropLast(2)) : number
    }

    private static func escaped(_ cell: String) -> String {
        cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
