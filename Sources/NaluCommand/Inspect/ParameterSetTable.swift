internal import Nalu

/// Every distinct parameter set of a stream, and the errors of the invalid ones.
struct ParameterSetTable {
    private(set) var records: [ParameterSetRecord] = []
    /// The number of distinct parameter sets that were not kept. Only corrupt streams have more than the table holds.
    private(set) var omittedCount = 0
    /// The errors of the first invalid parameter sets.
    private(set) var problems: [StreamProblem] = []
    private(set) var problemCount = 0

    private static let maximumRecords = 256

    /// Parses a parameter set and keeps its elements. Returns nil if the set is invalid.
    mutating func add<Content>(
        _ unit: ScannedUnit, _ kind: ParameterSetRecord.Kind, id: KeyPath<Content, Int>,
        parse: ([UInt8]) throws(NaluError) -> Content,
        elements: (Content?) -> (elements: [SyntaxElement], error: NaluError?)
    ) -> Content? {
        var content: Content?
        do throws(NaluError) {
            content = try parse(unit.head)
        } catch {
            problemCount += 1
            if problems.count < 100 { problems.append(StreamProblem(offset: unit.offset, message: error.message)) }
        }
        record(unit, kind, id: content?[keyPath: id]) { elements(content) }
        return content
    }

    private mutating func record(
        _ unit: ScannedUnit, _ kind: ParameterSetRecord.Kind, id: Int?,
        _ read: () -> (elements: [SyntaxElement], error: NaluError?)
    ) {
        if let index = records.firstIndex(where: { $0.kind == kind && $0.bytes == unit.head }) {
            records[index].count += 1
            return
        }
        guard records.count < Self.maximumRecords else {
            omittedCount += 1
            return
        }
        let (elements, error) = read()
        records.append(
            ParameterSetRecord(
                kind: kind, id: id, offset: unit.prefixSize == 0 ? nil : unit.offset, bytes: unit.head,
                elements: elements, error: error?.message))
    }
}

/// A distinct parameter set with its content. Repetitions are counted.
struct ParameterSetRecord {
    enum Kind: String {
        case video = "VPS"
        case sequence = "SPS"
        case picture = "PPS"
    }

    let kind: Kind
    let id: Int?
    /// The file offset; nil for a parameter set from outside the stream.
    let offset: Int?
    let bytes: [UInt8]
    /// The syntax elements up to the first error.
    let elements: [SyntaxElement]
    /// The error that ended the parsing; nil for a valid set.
    let error: String?
    var count = 1
}
