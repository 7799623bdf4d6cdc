/// Finds where the picture order count has restarted unseen, which happens when the picture is lost that restarts it.
///
/// Pictures then are out of the order of their times, or not as far apart as their times say. The latter is only asked where
/// all pictures have the same duration: others may well be unevenly spaced.
struct POCDiscontinuityDetector {
    /// How order and time of a picture go together with those before.
    enum Finding {
        case agrees
        case outOfOrder
        /// In a stream that was even: by how many orders more than the count says the picture is from the one before.
        case apart(Double)
    }

    /// The latest pictures since the last restart of the order.
    private var recent: [TimedPicture] = []
    /// Seconds a step of the picture order count, as the last pictures have it.
    private var step = 0.0
    /// How many pictures in succession have agreed with it.
    private var agreements = 0

    /// The longest distance that reordering makes.
    private static let memory = 16
    private static let steady = 8

    /// The order is not counted on from the pictures so far.
    mutating func forget() {
        recent.removeAll(keepingCapacity: true)
    }

    mutating func remember(_ picture: TimedPicture) {
        if recent.count == Self.memory { recent.removeFirst() }
        recent.append(picture)
    }

    /// The highest order of the latest pictures.
    var highest: Int? {
        recent.lazy.map { $0.order }.max()
    }

    mutating func look(at picture: TimedPicture) -> Finding {
        guard let before = recent.last else { return .agrees }
        for other in recent {
            if (picture.order > other.order) != (picture.times.seconds > other.times.seconds) { return .outOfOrder }
        }
        let orders = Double(picture.order - before.order)
        let seconds = picture.times.seconds - before.times.seconds
        guard orders != 0, before.times.lastAsLong(as: picture.times) else {
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

/// Where a picture stands in output order, by its count and by its sample's times.
struct TimedPicture {
    let order: Int
    let times: PictureTimes

    init(order: Int, _ times: PictureTimes) {
        self.order = order
        self.times = times
    }
}
