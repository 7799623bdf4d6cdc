internal import NaluBase

/// Which samples refer to something that was lost or damaged.
struct DamagePropagation {
    private var isOpen = false
    /// An intra picture has come: it is past for what is presented from then on.
    private var end: SampleRecord?

    /// Whether it may cover samples still to come.
    var isThere: Bool { isOpen || end != nil }

    mutating func begin() {
        isOpen = true
    }

    /// The next sample in decode order.
    mutating func meet(_ record: SampleRecord, isKeyFrame: Bool, isIntra: Bool, isAfterLoss: Bool) {
        if isKeyFrame {
            // Nothing refers across it.
            (isOpen, end) = (false, nil)
        } else if isIntra {
            // What is presented before it may still refer to what came before it.
            if isOpen { end = record }
            isOpen = false
        } else if isAfterLoss {
            begin()
        }
    }

    /// - Parameter byOrder: as for ``SampleRecord/isPresented(before:byOrder:)``.
    func covers(_ record: SampleRecord, byOrder: Bool) -> Bool {
        isOpen || end.map { record.isPresented(before: $0, byOrder: byOrder) } == true
    }
}
