/// How a stream's NAL units are told apart.
enum StreamForm: Equatable {
    case annexB
    /// Behind big-endian lengths of 1, 2 or 4 bytes.
    case lengthPrefixed(Int)

    var name: String {
        switch self {
        case .annexB: "Annex B"
        case .lengthPrefixed(let size): "length-prefixed, \(size) byte\(size == 1 ? "" : "s")"
        }
    }
}
