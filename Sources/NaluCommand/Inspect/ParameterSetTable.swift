internal import Nalu

/// Every distinct parameter set of a stream, for people, and what is wrong with them.
struct ParameterSetTable {
    private(set) var records: [ParameterSetRecord] = []
    /// Distinct sets that were not kept: only broken streams have so many.
    private(set) var omittedCount = 0
    /// The first sets that could not be read.
    private(set) var problems: [StreamProblem] = []
    private(set) var problemCount = 0

    private static let maximumRecords = 256

    /// Reads a set with `parse`, and keeps what it says; nil where it cannot be read.
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
