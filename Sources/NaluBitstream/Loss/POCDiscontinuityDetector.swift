/// Finds where the picture order count has restarted unseen, which happens when the picture is lost that restarts it.
///
/// Such a picture is later than all before it by its time, and yet has no higher count; or it is later by more than its count
/// says. The latter is only asked where all pictures have the same duration: others may well be unevenly spaced.
///
/// Times that contradict the counts otherwise are wrong, and no sign of a loss. In some files pictures that are reordered have
/// their decode times for presentation times: these grow while the counts go back and forth. In a stream that can reorder,
/// times therefore count only once they have gone back with the counts.
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
    /// A picture that comes later in decode order was earlier both by its count and by its time.
    private var hasReordered = false

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

    /// - Parameter reorders: whether the output order of the stream can differ from its decode order.
    mutating func look(at picture: TimedPicture, reorders: Bool) -> Finding {
        guard let before = recent.last else { return .agrees }
        var (isLatest, isLower) = (true, false)
        for other in recent {
            isLatest = isLatest && picture.times.seconds > other.times.seconds
            isLower = isLower || picture.order <= other.order
            hasReordered =
                hasReordered || picture.order < other.order && picture.times.seconds < other.times.seconds
        }
        if isLatest && isLower {
            if !reorders || hasReordered || agreements >= Self.steady { return .outOfOrder }
            agreements = 0
            return .agrees
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
        // More by the count than by the times is no loss of a restart.
        let isLate = seconds / step > orders
        step = seconds / orders
        return wasSteady && isLate ? finding : .agrees
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
