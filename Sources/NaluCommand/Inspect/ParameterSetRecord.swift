internal import Nalu

/// A parameter set with its content; one that comes again unchanged is counted.
struct ParameterSetRecord {
    enum Kind: String {
        case video = "VPS"
        case sequence = "SPS"
        case picture = "PPS"
    }

    let kind: Kind
    let id: Int?
    /// Where in the file; nil for a set from outside the stream.
    let offset: Int?
    let bytes: [UInt8]
    /// What could be read.
    let elements: [SyntaxElement]
    /// Why nothing more could be.
    let error: String?
    var count = 1
}
