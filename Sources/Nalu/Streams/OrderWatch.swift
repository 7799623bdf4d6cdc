/// Finds where the picture order count has restarted unseen, which happens when the picture is lost that restarts it.
///
/// Pictures then are out of the order of their times, or not as far apart as their times say. The latter is only asked where
/// all pictures have the same duration: others may well be unevenly spaced.
struct OrderWatch {
    struct Picture {
        let order: Int
        let seconds: Double
        /// In seconds; not a number where it is not known.
        let duration: Double

        init(order: Int, of sample: Sample) {
            self.order = order
            seconds = sample.presentationTime.seconds
            duration = sample.duration.seconds
        }

        func lastsAsLong(as other: Picture) -> Bool {
            abs(duration - other.duration) < 0.1 * duration
        }
    }

    /// How order and time of a picture go together with those before.
    enum Finding {
        case agrees
        case outOfOrder
        /// In a stream that was even: by how many orders more than the count says the picture is from the one before.
        case apart(Double)
    }

    /// The latest pictures since the last restart of the order.
    private var recent = RingBuffer<Picture>(capacity: Self.memory)
    /// Seconds a step of the picture order count, as the last pictures have it.
    private var step = 0.0
    /// How many pictures in succession have agreed with it.
    private var agreements = 0

    /// The longest distance that reordering makes.
    private static let memory = 16
    private static let steady = 8

    /// The order is not counted on from the pictures so far.
    mutating func forget() {
        while recent.popFirst() != nil {}
    }

    mutating func remember(_ picture: Picture) {
        if recent.count == Self.memory { _ = recent.popFirst() }
        recent.append(picture)
    }

    /// The highest order of the latest pictures.
    var highest: Int? {
        (0..<recent.count).lazy.compactMap { recent[$0]?.order }.max()
    }

    mutating func look(at picture: Picture) -> Finding {
        guard let before = recent[recent.count - 1] else { return .agrees }
        for index in 0..<recent.count {
            guard let other = recent[index] else { continue }
            if (picture.order > other.order) != (picture.seconds > other.seconds) { return .outOfOrder }
        }
        let orders = Double(picture.order - before.order)
        let seconds = picture.seconds - before.seconds
        guard orders != 0, before.lastsAsLong(as: picture) else {
            agreements = 0
            return .agrees
        }
        if abs(seconds - orders * step) < 0.9 * step {
            agreements += 1
            return .agrees
        }
        let wasSteady = agreements >= Self.steady
        let finding = Finding.apart(seconds / step - orders)
        agreements = 0
        step = seconds / orders
        return wasSteady ? finding : .agrees
    }
}
