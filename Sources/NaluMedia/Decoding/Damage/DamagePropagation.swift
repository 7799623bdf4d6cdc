internal import NaluBase

/// Tracks which samples refer to a lost or incomplete picture.
struct DamagePropagation {
    private var isOpen = false
    /// The intra picture that ends the damage: pictures presented from its time on do not refer to what precedes it.
    private var end: SampleRecord?

    /// Whether samples that follow may still refer to the lost or incomplete picture.
    var isThere: Bool { isOpen || end != nil }

    mutating func begin() {
        isOpen = true
    }

    /// Updates the state with the next sample in decode order.
    mutating func meet(_ record: SampleRecord, isKeyFrame: Bool, isIntra: Bool, isAfterLoss: Bool) {
        if isKeyFrame {
            // No picture refers across a key frame.
            (isOpen, end) = (false, nil)
        } else if isIntra {
            // Pictures that are presented before an intra picture may still refer to pictures that precede it in decode
            // order.
            if isOpen { end = record }
            isOpen = false
        } else if isAfterLoss {
            begin()
        }
    }

    /// Returns whether the sample may refer to a lost or incomplete picture.
    ///
    /// - Parameter byOrder: as for ``SampleRecord/isPresented(before:byOrder:)``.
    func covers(_ record: SampleRecord, byOrder: Bool) -> Bool {
        isOpen || end.map { record.isPresented(before: $0, byOrder: byOrder) } == true
    }
}
