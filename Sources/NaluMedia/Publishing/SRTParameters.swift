internal import NaluBase

/// The parameters of an srt:// address.
struct SRTParameters: Sendable {
    /// The latency in milliseconds.
    var latency: Int
    var passphrase: String?
    /// The length of the key in bytes; 0 for libsrt's default.
    var keyLength = 0
    var streamID: String?
}

extension PublishAddress {
    /// Returns the parameters of an srt:// address. Throws `.parameter` for an unknown one and for a wrong value. The error
    /// messages name only the wrong parameter, because another one can be the passphrase.
    func srtParameters(latency: Int) throws(NaluError) -> SRTParameters {
        var parameters = SRTParameters(latency: latency)
        for (name, value) in query {
            func wrong(_ expected: String) -> NaluError {
                NaluError(.parameter, "url has \(name)=\(NaluError.excerpt(value)); expected \(expected)")
            }
            switch name {
            case "latency":
                guard let number = Int(value), 20...8000 ~= number else { throw wrong("20 to 8000 milliseconds") }
                parameters.latency = number
            case "mode":
                guard value == "caller" else { throw wrong("caller: a publisher connects and does not listen") }
            case "passphrase":
                guard 10...79 ~= value.utf8.count else {
                    throw NaluError(
                        .parameter, "url has a passphrase of \(value.utf8.count) bytes; expected 10 to 79 bytes")
                }
                parameters.passphrase = value
            case "pbkeylen":
                guard let number = Int(value), [16, 24, 32].contains(number) else { throw wrong("16, 24 or 32 bytes") }
                parameters.keyLength = number
            case "streamid":
                guard value.utf8.count <= 512 else {
                    throw NaluError(
                        .parameter, "url has a streamid of \(value.utf8.count) bytes; expected at most 512 bytes")
                }
                parameters.streamID = value
            default:
                throw NaluError(
                    .parameter,
                    "url has the parameter \(NaluError.excerpt(name)); expected latency, mode, passphrase, pbkeylen or streamid"
                )
            }
        }
        return parameters
    }
}
