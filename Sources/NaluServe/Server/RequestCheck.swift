/// Accepts or refuses a request by its head alone.
struct RequestCheck: Sendable {
    enum Decision: Equatable, Sendable {
        case page(withBody: Bool)
        case socket
        case refused(status: Int, message: String)
    }

    let token: String?
    /// The name of this machine, which a Host header may contain.
    let machine: String

    func decide(_ head: RequestHead) -> Decision {
        guard let host = head.value("host"), isOwn(host) else {
            return .refused(
                status: 421, message: "the Host header is not an IP address, localhost or the name of this machine")
        }
        guard head.path == "/" || head.path == "/live" else {
            return .refused(status: 404, message: "only the page / is served")
        }
        guard head.value("content-length") ?? "0" == "0", head.value("transfer-encoding") == nil else {
            return .refused(status: 413, message: "the request has a body")
        }
        guard head.method == "GET" || head.method == "HEAD" && head.path == "/" else {
            return .refused(status: 405, message: "the method is not GET")
        }
        guard hasToken(head) else {
            return .refused(
                status: 403, message: "the token is missing or wrong; use the address that nalu serve has printed")
        }
        if head.path == "/" { return .page(withBody: head.method == "GET") }
        // Browsers send the origin of the page that opens the socket, so pages of other servers cannot open it.
        let origin = head.value("origin")?.lowercased()
        guard origin == "http://\(host.lowercased())" || origin == "https://\(host.lowercased())" else {
            return .refused(status: 403, message: "the Origin header is not that of the page")
        }
        return .socket
    }

    /// Whether the request has the token. Compares all bytes, so that the duration reveals nothing about the token.
    private func hasToken(_ head: RequestHead) -> Bool {
        guard let token else { return true }
        let given = Array((head.queryValue("token") ?? "").utf8)
        let wanted = Array(token.utf8)
        guard given.count == wanted.count else { return false }
        return zip(given, wanted).reduce(UInt8(0)) { $0 | $1.0 ^ $1.1 } == 0
    }

    /// Whether a Host header names this server. By DNS rebinding, the name of another server can resolve to this machine.
    /// The Host header then has that name, and never an IP address.
    private func isOwn(_ host: String) -> Bool {
        var name = host.lowercased()
        if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]") {
            let port = name[name.index(after: colon)...]
            guard !port.isEmpty, port.utf8.count <= 5, port.utf8.allSatisfy({ (48...57).contains($0) }) else {
                return false
            }
            name = String(name[..<colon])
        }
        if name.hasPrefix("["), name.hasSuffix("]") {
            return name.dropFirst().dropLast().utf8.allSatisfy { byte in
                (48...57).contains(byte) || (97...102).contains(byte) || byte == 58 || byte == 46
            }
        }
        let machine = machine.lowercased()
        if ["localhost", machine, machine + ".local"].contains(name), !name.isEmpty { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy {
                $0.utf8.count <= 3 && $0.utf8.allSatisfy { (48...57).contains($0) } && UInt8($0) != nil
            }
    }
}
