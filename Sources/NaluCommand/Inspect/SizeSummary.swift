/// How large the frames of one kind are.
struct SizeSummary {
    let kind: PictureKind
    private(set) var count = 0
    private(set) var bytes = 0
    private(set) var smallest = Int.max
    private(set) var largest = 0
    private var qpSum = 0.0
    private var qpCount = 0

    init(kind: PictureKind) {
        self.kind = kind
    }

    var mean: Double { Double(bytes) / Double(max(1, count)) }
    var meanQP: Double? { qpCount == 0 ? nil : qpSum / Double(qpCount) }

    mutating func add(_ frame: FrameRecord) {
        count += 1
        bytes += frame.size
        smallest = min(smallest, frame.size)
        largest = max(largest, frame.size)
        if let qp = frame.qp {
            qpSum += qp
            qpCount += 1
        }
    }
}
