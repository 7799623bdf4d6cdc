internal import CNalu

/// Which samples refer to something that was lost or damaged.
struct Taint {
    private var isOpen = false
    /// An intra picture has come: it is past for what is presented from then on.
    private var endTime: nalu_time?

    /// Whether it may cover samples still to come.
    var isThere: Bool { isOpen || endTime != nil }

    mutating func begin() {
        isOpen = true
    }

    /// The next sample in decode order.
    mutating func meet(_ record: SampleRecord, isKeyFrame: Bool, isIntra: Bool, isBehindLoss: Bool) {
        if isKeyFrame {
            // Nothing refers across it.
            (isOpen, endTime) = (false, nil)
        } else if isIntra {
            // What is presented before it may still refer to what came before it.
            if isOpen { endTime = record.presentationTime }
            isOpen = false
        } else if isBehindLoss {
            begin()
        }
    }

    func covers(_ record: SampleRecord) -> Bool {
        isOpen || endTime.map { nalu_time_compare(record.presentationTime, $0) < 0 } == true
    }
}
