/// The request line and the headers of an HTTP/1.1 request, without a body.
struct RequestHead: Sendable {
    /// The longest head in bytes, including the empty line at its end.
    static let maximumSize = 8192

    let method: String
    /// The target exactly as the client sent it, split at the first question mark.
    let path: String
    let query: String
    /// The headers in order, with lowercase names.
    let headers: [(name: String, value: String)]

    /// A head that is not one of HTTP/1.1.
    struct Malformed: Error {
        let message: String

        init(_ message: String) {
            self.message = message
        }
    }

    /// Returns the size of the head at the start of `bytes`; nil if its empty line is missing.
    static func size(of bytes: [UInt8], from start: Int = 0) -> Int? {
        var index = max(start, 0)
        while index + 3 < bytes.count {
            if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        return nil
    }

    /// Reads a head.
    ///
    /// - Parameter bytes: the head with its empty line.
    init(_ bytes: ArraySlice<UInt8>) throws(Malformed) {
        guard bytes.allSatisfy({ $0 >= 32 && $0 < 127 || $0 == 9 || $0 == 13 || $0 == 10 }) else {
            throw Malformed("the request has bytes that are not printable ASCII")
        }
        var lines: [Substring] = []
        let text = String(decoding: bytes, as: UTF8.self)
        // Swift treats CR LF as one character.
        for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) { lines.append(line) }
        guard let first = lines.first, !text.unicodeScalars.isEmpty,
            !lines.contains(where: { $0.unicodeScalars.contains { $0 == "\r" || $0 == "\n" } })
        else {
            throw Malformed("the lines of the request do not end in CR LF")
        }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, Self.isToken(words[0]), words[1].hasPrefix("/") else {
            throw Malformed("the request line is not \"METHOD /PATH HTTP/1.1\"")
        }
        guard words[2] == "HTTP/1.1" else { throw Malformed("the version of the request is not HTTP/1.1") }
        method = String(words[0])
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(target[0])
        query = target.count > 1 ? String(target[1]) : ""
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.firstIndex(of: ":"), Self.isToken(line[..<colon]) else {
                throw Malformed("a header of the request is not \"NAME: VALUE\"")
            }
            let value = line[line.index(after: colon)...]
            headers.append((line[..<colon].lowercased(), Self.trimmed(value)))
        }
        self.headers = headers
        // With two values of one of these headers, a check could read one value and a later step the other.
        for name in ["host", "origin", "content-length", "transfer-encoding", "upgrade", "sec-websocket-key"]
        where headers.filter({ $0.name == name }).count > 1 {
            throw Malformed("the request has more than one header \(name)")
        }
    }

    /// Returns the value of a header; nil if it is missing.
    func value(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// Returns the value of a query parameter, without decoding; nil if the parameter is missing.
    func queryValue(_ name: String) -> String? {
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0] == name { return String(parts[1]) }
        }
        return nil
    }

    private static func isToken(_ text: Substring) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        return !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || marks.contains(byte)
            }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(start[...last])
    }
}
