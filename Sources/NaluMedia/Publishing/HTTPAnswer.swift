internal import NaluBase

/// The head of a server's final answer to an HTTP request.
struct HTTPAnswer {
    let code: Int
    /// The server's words for the code; can be empty.
    private let reason: String
    /// The address of a redirection, without secrets.
    private let location: String?

    private static let mostBytes = 65536
    private static let accepted = 200...299

    /// Parses the bytes that have arrived, and skips interim answers (1xx). Returns nil while the head is incomplete.
    /// Throws `.inputOutput` for bytes that are not HTTP.
    static func parse(_ bytes: [UInt8]) throws(NaluError) -> HTTPAnswer? {
        var lines: [String] = []
        var line: [UInt8] = []
        for byte in bytes where byte != 13 {
            guard byte == 10 else {
                line.append(byte)
                continue
            }
            if !line.isEmpty {
                lines.append(String(decoding: line.map { 32...126 ~= $0 ? $0 : 63 }, as: UTF8.self))
                line = []
            } else if !lines.isEmpty {
                let answer = try HTTPAnswer(lines)
                if answer.code >= 200 { return answer }
                lines = []
            }
        }
        if let first = lines.first, !first.hasPrefix("HTTP/") { throw notHTTP }
        if bytes.count > mostBytes { throw notHTTP }
        return nil
    }

    private static var notHTTP: NaluError {
        NaluError(.inputOutput, "the receiver's answer is not HTTP; expected an HTTP server at this host and port")
    }

    private init(_ lines: [String]) throws(NaluError) {
        let parts = lines[0].split(separator: " ", maxSplits: 2)
        guard lines[0].hasPrefix("HTTP/"), parts.count > 1, let number = Int(parts[1]), 100...999 ~= number else {
            throw Self.notHTTP
        }
        code = number
        reason = parts.count > 2 ? NaluError.excerpt(String(parts[2])) : ""
        let name = "location:"
        location = lines.first { $0.lowercased().hasPrefix(name) }.map { line in
            let text = String(line.dropFirst(name.count).drop { $0 == " " })
            return NaluError.excerpt((try? PublishAddress(text))?.shown ?? String(text.prefix { $0 != "?" }))
        }
    }

    /// The error message if the server has not accepted the stream; nil if it has.
    var refusal: String? {
        guard !Self.accepted.contains(code) else { return nil }
        return "the server answered \(code)\(reason.isEmpty ? "" : " \(reason)"); expected \(expectation)"
    }

    private var expectation: String {
        switch code {
        case 300...399: "the address to which it redirects\(location.map { ": \($0)" } ?? "")"
        case 401, 407: "http://USER:PASSWORD@HOST/PATH with a user whom the server accepts"
        case 403: "an address to which the server permits PUT"
        case 404, 405, 409, 501: "a path to which the server permits PUT"
        case 413, 507: "a server with room for the stream"
        case 500...599: "a server that works; its log has the cause"
        default: "an answer from 200 to 299"
        }
    }
}
