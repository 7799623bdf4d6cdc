internal import FoundationEssentials

/// A message of the page, as docs/live.md describes it.
enum ClientRequest {
    /// The page asks for the host time, to compare its own clock with it. `page` is the page's time; its unit is the page's.
    case clock(page: Double)
    /// The page has decoded the frame.
    case acknowledge(frame: UInt32)
    case rate(bitsPerSecond: Double)
    case keyFrame
    /// The page has lost frames and continues with a frame that refers to acknowledged frames only.
    case refresh

    /// The text is not a message of the page.
    struct Malformed: Error {
        let message: String
    }

    private struct Fields: Decodable {
        let type: String
        let page: Double?
        let frame: UInt32?
        let bitsPerSecond: Double?
    }

    init(_ text: String) throws(Malformed) {
        let fields: Fields
        do {
            fields = try JSONDecoder().decode(Fields.self, from: Data(text.utf8))
        } catch {
            throw Malformed(message: "the message is not a JSON object with a type and fields of its types")
        }
        switch (fields.type, fields.page, fields.frame, fields.bitsPerSecond) {
        case ("clock", .some(let page), _, _): self = .clock(page: page)
        case ("acknowledge", _, .some(let frame), _): self = .acknowledge(frame: frame)
        case ("rate", _, _, .some(let rate)): self = .rate(bitsPerSecond: rate)
        case ("keyFrame", _, _, _): self = .keyFrame
        case ("refresh", _, _, _): self = .refresh
        default:
            throw Malformed(
                message: "the type is \"\(fields.type.prefix(40))\", or a field is missing; expected clock with page, "
                    + "acknowledge with frame, rate with bitsPerSecond, keyFrame or refresh")
        }
    }
}
