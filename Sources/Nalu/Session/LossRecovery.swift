/// Recovery from loss by acknowledged references: which frames the encoder may still refer to, and what a receiver is
/// known to have of them.
///
/// With one reference a frame each frame has one parent, the newest frame that was not forgotten. Who decoded a frame
/// has decoded its parent, so that an acknowledgement holds for all frames before it in that line. A refresh forgets the
/// oldest frame that is not acknowledged and, because x264 can forget only so, all that came after it.
struct LossRecovery {
    enum Refresh: Equatable {
        /// Everything that is left is acknowledged.
        case nothing
        /// The encoder must not refer to that frame or to later ones any more.
        case forget(from: UInt64)
        /// Nothing acknowledged is left to refer to.
        case keyFrame
    }

    private struct Reference {
        let number: UInt64
        /// nil: it refers to nothing.
        let parent: UInt64?
        var isAcknowledged = false
        var isForgotten = false
    }

    /// Oldest first, as the encoder holds them: forgotten ones keep their places.
    private var references: [Reference] = []
    private let capacity: Int

    /// `capacity`: how many frames the encoder holds for reference.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        references.reserveCapacity(self.capacity + 1)
    }

    /// The receiver has decoded those frames. Numbers of frames that are gone say nothing any more.
    mutating func acknowledge(_ numbers: [Int64]) {
        for number in numbers {
            var next = UInt64(exactly: number)
            while let wanted = next {
                guard let index = references.firstIndex(where: { $0.number == wanted }),
                    !references[index].isAcknowledged
                else { break }
                references[index].isAcknowledged = true
                next = references[index].parent
            }
        }
    }

    /// The next frame is to be one that the receiver can decode by what it has acknowledged.
    mutating func refresh() -> Refresh {
        if let index = references.firstIndex(where: { !$0.isAcknowledged && !$0.isForgotten }) {
            for later in index..<references.count { references[later].isForgotten = true }
            guard references.contains(where: { !$0.isForgotten }) else { return .keyFrame }
            return .forget(from: references[index].number)
        }
        return references.contains { !$0.isForgotten } ? .nothing : .keyFrame
    }

    /// A picture came out of the encoder, right after it was handed in.
    mutating func note(number: UInt64, isKeyFrame: Bool, isIntra: Bool) {
        if isKeyFrame { references.removeAll(keepingCapacity: true) }
        let parent = isIntra ? nil : references.last { !$0.isForgotten }?.number
        references.append(Reference(number: number, parent: parent))
        if references.count > capacity { references.removeFirst() }
    }
}
