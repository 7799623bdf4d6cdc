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

    /// Nothing refers across a key frame.
    mutating func end() {
        (isOpen, endTime) = (false, nil)
    }

    /// What is presented before an intra picture may still refer to what came before it.
    mutating func end(at time: nalu_time) {
        if isOpen { endTime = time }
        isOpen = false
    }

    func covers(_ record: SampleRecord) -> Bool {
        isOpen || endTime.map { nalu_time_compare(record.presentationTime, $0) < 0 } == true
    }
}
