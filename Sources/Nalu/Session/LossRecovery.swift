/// Recovery from loss by acknowledged references: the frames that the encoder may still refer to, and the frames that a
/// receiver has acknowledged.
///
/// With one reference per frame, each frame has one parent, the newest frame that was not forgotten. A receiver that
/// has decoded a frame has decoded its parent, so that an acknowledgement holds for all earlier frames in that line. A
/// refresh forgets all frames after the newest acknowledged one, which then is the parent of the next.
struct LossRecovery {
    /// The instruction to the encoder for the next frame.
    enum Refresh: Equatable {
        /// Refer to the newest frame that the encoder holds.
        case nothing
        /// Stop referring to that frame and to later ones.
        case forget(from: UInt64)
        /// Encode a key frame, because no reference is left.
        case keyFrame
    }

    private struct Reference {
        let number: UInt64
        /// The frame that this one refers to; nil for none.
        let parent: UInt64?
        let isKeyFrame: Bool
        var isAcknowledged = false
        var isForgotten = false
    }

    /// The frames that the encoder holds, oldest first. Forgotten frames keep their places.
    private var references: [Reference] = []
    private let capacity: Int
    /// The frame that was dropped since the last call of ``next(isRefresh:)``. The encoder has not been told to forget
    /// it yet.
    private var dropped: UInt64?
    /// The most frames from a frame to the one that brought its acknowledgement; nil before the first acknowledgement.
    private var longestDelay: UInt64?

    /// `capacity` is the number of frames that the encoder holds for reference.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        references.reserveCapacity(self.capacity + 1)
    }

    /// Notes the frames that the receiver has decoded. Numbers of frames that are no longer held are ignored.
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

    /// Returns the number of frames from `reference` to the next frame.
    private func age(of reference: Reference) -> UInt64 {
        (references.last?.number ?? reference.number) + 1 - reference.number
    }

    /// Whether the acknowledgement of a key frame can still arrive. A key frame is larger than other frames, so that
    /// its acknowledgement may take twice as long.
    private func isOnItsWay(_ reference: Reference) -> Bool {
        guard reference.isKeyFrame else { return false }
        return longestDelay.map { age(of: reference) <= 2 * $0 } ?? true
    }

    /// Returns what the next frame may refer to. With `isRefresh` these are only acknowledged frames, or the last key
    /// frame while its acknowledgement can still arrive. A request that the receiver made before that key frame arrived
    /// is no reason for another.
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

    /// Notes a picture, right after its frame was passed to the encoder. Returns the frame that the picture refers to;
    /// nil for none.
    @discardableResult
    mutating func note(number: UInt64, isKeyFrame: Bool, isIntra: Bool) -> UInt64? {
        if isKeyFrame { references.removeAll(keepingCapacity: true) }
        let parent = isIntra ? nil : references.last { !$0.isForgotten }?.number
        references.append(Reference(number: number, parent: parent, isKeyFrame: isKeyFrame))
        if references.count > capacity { references.removeFirst() }
        return parent
    }

    /// Notes that no frame may refer to the frame, because it is not delivered, or lies between frames of a base layer.
    mutating func drop(_ number: UInt64) {
        guard let index = references.firstIndex(where: { $0.number == number }) else { return }
        references[index].isForgotten = true
        dropped = number
    }
}
