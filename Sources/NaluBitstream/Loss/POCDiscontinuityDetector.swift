/// Finds restarts of the picture order count whose own picture is lost.
///
/// The next picture is then later in time than all before it, but has no higher count. Or its time is later by more
/// than its count. The second sign is tested only if all pictures have the same duration, as other streams may be
/// unevenly spaced.
///
/// Times that contradict the counts in other ways are wrong, and no sign of a loss. In some files reordered pictures
/// have their decode times as presentation times: these grow while the counts go back and forth. In a stream that can
/// reorder, a contradiction therefore counts only after times have once gone back with the counts, or after ``steady``
/// agreements.
struct POCDiscontinuityDetector {
    /// The relation of a picture's order and time to those of earlier pictures.
    enum Finding {
        case agrees
        case outOfOrder
        /// In a steady stream: the distance in time from the previous picture exceeds the distance in count by so many
        /// orders.
        case apart(Double)
    }

    /// The latest pictures since the last restart of the order.
    private var recent: [TimedPicture] = []
    /// Seconds per step of the picture order count, from the last pictures.
    private var step = 0.0
    /// The number of successive pictures that agreed with ``step``.
    private var agreements = 0
    /// Whether a picture was earlier, both by count and by time, than a picture before it in decode order.
    private var hasReordered = false

    /// The number of pictures remembered: the longest distance of reordering.
    private static let memory = 16
    private static let steady = 8

    /// Forgets the pictures so far. The order of the next pictures does not continue theirs.
    mutating func forget() {
        recent.removeAll(keepingCapacity: true)
    }

    mutating func remember(_ picture: TimedPicture) {
        if recent.count == Self.memory { recent.removeFirst() }
        recent.append(picture)
    }

    /// The highest order of the remembered pictures, or nil.
    var highest: Int? {
        recent.lazy.map { $0.order }.max()
    }

    /// Compares a picture with the remembered ones.
    ///
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
        // A count that advances more than the time is no sign of a restart.
        let isLate = seconds / step > orders
        step = seconds / orders
        return wasSteady && isLate ? finding : .agrees
    }
}

/// The position of a picture in output order, by its count and by its sample's times.
struct TimedPicture {
    let order: Int
    let times: PictureTimes

    init(order: Int, _ times: PictureTimes) {
        self.order = order
        self.times = times
    }
}
