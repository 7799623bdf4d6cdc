/// How a stream's NAL units are separated.
enum StreamForm: Equatable {
    case annexB
    /// By big-endian length prefixes of 1, 2 or 4 bytes.
    case lengthPrefixed(Int)

    var name: String {
        switch self {
        case .annexB: "Annex B"
        case .lengthPrefixed(let size): "length-prefixed, \(size) byte\(size == 1 ? "" : "s")"
        }
    }
}
