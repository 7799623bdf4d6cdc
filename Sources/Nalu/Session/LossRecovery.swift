/// Recovery from loss by acknowledged references: which frames the encoder may still refer to, and what a receiver is
/// known to have of them.
///
/// With one reference a frame each frame has one parent, the newest frame that was not forgotten. Who decoded a frame
/// has decoded its parent, so that an acknowledgement holds for all frames before it in that line. A refresh forgets all
/// frames after the newest one that is acknowledged, which is then the parent of the next.
struct LossRecovery {
    /// What the encoder is to do with the next frame.
    enum Refresh: Equatable {
        /// Refer to the newest frame that it holds.
        case nothing
        /// Refer to no frame from that one on any more.
        case forget(from: UInt64)
        /// Nothing is left to refer to.
        case keyFrame
    }

    private struct Reference {
        let number: UInt64
        /// nil: it refers to nothing.
        let parent: UInt64?
        let isKeyFrame: Bool
        var isAcknowledged = false
        var isForgotten = false
    }

    /// Oldest first, as the encoder holds them: forgotten ones keep their places.
    private var references: [Reference] = []
    private let capacity: Int
    /// The frame that was dropped since the last one, which the encoder has not been told to forget.
    private var dropped: UInt64?
    /// The most frames from one to the one with which its acknowledgement came; nil: none has come yet.
    private var longestDelay: UInt64?

    /// `capacity`: how many frames the encoder holds for reference.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        references.reserveCapacity(self.capacity + 1)
    }

    /// The receiver has decoded those frames. Numbers of frames that are gone say nothing any more.
    mutating func acknowledge(_ numbers: [Int64]) {
        for number in numbers {
            measureDelay(of: number)
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

    private mutating func measureDelay(of number: Int64) {
        guard let reference = references.last(where: { Int64(exactly: $0.number) == number }), !reference.isAcknowledged
        else { return }
        longestDelay = max(longestDelay ?? 0, age(of: reference))
    }

    /// How many frames later than that one the next frame is.
    private func age(of reference: Reference) -> UInt64 {
        (references.last?.number ?? reference.number) + 1 - reference.number
    }

    /// Whether the acknowledgement of that key frame can still come. A key frame is larger than others, so that it may take
    /// twice as long as they took.
    private func isOnItsWay(_ reference: Reference) -> Bool {
        guard reference.isKeyFrame else { return false }
        return longestDelay.map { age(of: reference) <= 2 * $0 } ?? true
    }

    /// What the next frame may refer to. `isRefresh`: only to what the receiver has acknowledged, or to the last key frame
    /// while it is on its way: a request that was made before that arrived is no reason for another.
    mutating func next(isRefresh: Bool) -> Refresh {
        var forgotten = dropped
        dropped = nil
        if isRefresh {
            let first = 1 + (references.lastIndex { !$0.isForgotten && ($0.isAcknowledged || isOnItsWay($0)) } ?? -1)
            if let index = references[first...].firstIndex(where: { !$0.isForgotten }) {
                forgotten = min(forgotten ?? .max, references[index].number)
                for later in index..<references.count { references[later].isForgotten = true }
            }
        }
        guard references.contains(where: { !$0.isForgotten }) else { return .keyFrame }
        return forgotten.map { .forget(from: $0) } ?? .nothing
    }

    /// A picture came out of the encoder, right after it was handed in. Returns the frame that it refers to; nil: none.
    @discardableResult
    mutating func note(number: UInt64, isKeyFrame: Bool, isIntra: Bool) -> UInt64? {
        if isKeyFrame { references.removeAll(keepingCapacity: true) }
        let parent = isIntra ? nil : references.last { !$0.isForgotten }?.number
        references.append(Reference(number: number, parent: parent, isKeyFrame: isKeyFrame))
        if references.count > capacity { references.removeFirst() }
        return parent
    }

    /// The frame is not delivered: nothing may refer to it.
    mutating func drop(_ number: UInt64) {
        guard let index = references.firstIndex(where: { $0.number == number }) else { return }
        references[index].isForgotten = true
        dropped = number
    }
}
