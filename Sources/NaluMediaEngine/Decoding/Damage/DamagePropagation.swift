internal import NaluBase

/// Which samples refer to something that was lost or damaged.
struct DamagePropagation {
    private var isOpen = false
    /// An intra picture has come: it is past for what is presented from then on.
    private var endTime: MediaTime?

    /// Whether it may cover samples still to come.
    var isThere: Bool { isOpen || endTime != nil }

    mutating func begin() {
        isOpen = true
    }

    /// The next sample in decode order.
    mutating func meet(_ record: SampleRecord, isKeyFrame: Bool, isIntra: Bool, isAfterLoss: Bool) {
        if isKeyFrame {
            // Nothing refers across it.
            (isOpen, endTime) = (false, nil)
        } else if isIntra {
            // What is presented before it may still refer to what came before it.
            if isOpen { endTime = record.presentationTime }
            isOpen = false
        } else if isAfterLoss {
            begin()
        }
    }

    func covers(_ record: SampleRecord) -> Bool {
        isOpen || endTime.map { record.presentationTime < $0 } == true
    }
}
