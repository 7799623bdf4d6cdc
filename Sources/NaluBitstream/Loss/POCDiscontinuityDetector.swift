/// Finds restarts of the picture order count whose own picture is lost.
///
/// The next picture is then later in time than all before it, but has no higher count. Or it follows a hole: a time that
/// the count does not explain, and during which no picture is displayed. The durations of the pictures show the hole,
/// as an intact stream of variable frame rate has pictures of every duration. A picture without a known duration
/// therefore proves nothing. The hole is tested only after a constant frame rate.
///
/// Times that contradict the counts in other ways are wrong, and no sign of a loss. In some files reordered pictures
/// have their decode times as presentation times: these grow while the counts go back and forth. In a stream that can
/// reorder, a contradiction therefore counts only after times have once gone back with the counts, or after ``steady``
/// agreements. Files can also have decode times in one group of pictures only. A picture whose count can continue those
/// before it therefore counts only if lost pictures could have been displayed before it.
struct POCDiscontinuityDetector {
    /// The relation of a picture's order and time to those of earlier pictures.
    enum Finding {
        case agrees
        case outOfOrder
        /// A gap in a steady stream: the distance in time from the previous picture exceeds the distance in count by so many
        /// orders.
        case apart(Double)
    }

    /// The latest pictures since the last restart of the order.
    private var recent: [TimedPicture] = []
    /// Seconds per step of the picture order count, from the last pictures.
    private var step = 0.0
    /// The distance in count between the last two pictures.
    private var distance = 0
    /// The number of successive pictures that agreed with ``step``.
    private var agreements = 0
    /// The duration in seconds of the pictures that agreed; not a number if unknown.
    private var steadyDuration = Double.nan
    /// Whether a picture was earlier, both by count and by time, than a picture before it in decode order.
    private var hasReordered = false
    /// Whether the durations have shown a hole in an intact part of the stream.
    private var hasWrongDurations = false
    /// The duration of the last picture in seconds, also across a restart of the order.
    private var lastDuration = Double.nan
    /// Whether the frame rate varies: durations have differed, or a time was later than the count implied.
    private var isVariable = false

    /// The number of pictures remembered: the longest distance of reordering.
    private static let memory = 16
    private static let steady = 8
    /// The part of a frame by which a time can be late without a hole.
    private static let tolerance = 0.9

    /// Forgets the pictures so far. The order of the next pictures does not continue theirs.
    mutating func forget() {
        recent.removeAll(keepingCapacity: true)
    }

    mutating func remember(_ picture: TimedPicture) {
        if recent.count == Self.memory { recent.removeFirst() }
        recent.append(picture)
    }

    /// Records that the last finding was a hole without a loss. The durations do not describe the display, and prove
    /// nothing from now on.
    mutating func distrustDurations() {
        (hasWrongDurations, isVariable) = (true, true)
    }

    /// The highest order of the remembered pictures, or nil.
    var highest: Int? {
        recent.lazy.map { $0.order }.max()
    }

    /// Compares a picture with the remembered ones.
    ///
    /// - Parameters:
    ///   - reorderDepth: the number of pictures that can precede one in decode order and follow it in output order.
    ///   - lostCount: the least number of pictures that are lost before this one, and displayed before it, if the order has
    ///     restarted.
    mutating func look(at picture: TimedPicture, reorderDepth: Int, lostCount: Int = 1) -> Finding {
        let reorders = reorderDepth > 0
        let times = picture.times
        // An unknown duration compares as false.
        isVariable = isVariable || abs(times.duration - lastDuration) > 0.1 * lastDuration
        lastDuration = times.duration
        guard let before = recent.last else { return .agrees }
        var (isLatest, isLower) = (true, false)
        for other in recent {
            isLatest = isLatest && times.seconds > other.times.seconds
            isLower = isLower || picture.order <= other.order
            hasReordered =
                hasReordered || picture.order < other.order && times.seconds < other.times.seconds
        }
        if isLatest && isLower {
            let isTrusted = hasReordered || agreements >= Self.steady
            let isLoss = !continues(picture, reorderDepth) || hasRoom(for: lostCount, before: picture)
            if !reorders || isTrusted && isLoss { return .outOfOrder }
            agreements = 0
            return .agrees
        }
        let orders = picture.order - before.order
        let seconds = times.seconds - before.times.seconds
        let isRegular = isSteady(from: before, to: picture, orders)
        distance = orders
        guard orders != 0, isRegular else {
            agreements = 0
            return .agrees
        }
        if abs(seconds - Double(orders) * step) < Self.tolerance * step {
            agreements += 1
            steadyDuration = times.duration
            return .agrees
        }
        // A count that advances more than the time is no sign of a restart.
        let excess = seconds / step - Double(orders)
        let isLate = agreements >= Self.steady && excess > 0
        let isRestart = isLate && isAfterHole(picture, reorders: reorders)
        isVariable = isVariable || isLate && !isRestart
        agreements = 0
        step = seconds / Double(orders)
        return isRestart ? .apart(excess) : .agrees
    }

    /// Whether two successive pictures can belong to a constant frame rate: they have the same duration. If their
    /// durations are unknown, they are as far apart in count as the pictures before them.
    private func isSteady(from before: TimedPicture, to picture: TimedPicture, _ orders: Int) -> Bool {
        if before.times.duration.isNaN && picture.times.duration.isNaN { return orders == distance }
        return before.times.lastAsLong(as: picture.times)
    }

    /// Whether the order of a picture can follow those of the remembered pictures without a restart.
    private func continues(_ picture: TimedPicture, _ reorderDepth: Int) -> Bool {
        recent.count { $0.order > picture.order } <= reorderDepth && !recent.contains { $0.order == picture.order }
    }

    /// Whether pictures can be missing between the remembered pictures and a later one: the time between them exceeds
    /// every distance between the latest remembered pictures, and suffices for `count` pictures.
    private func hasRoom(for count: Int, before picture: TimedPicture) -> Bool {
        let times = recent.map { $0.times.seconds }.sorted()
        // Some neighbours of the earliest remembered pictures in time are forgotten.
        let distances = zip(times.dropFirst(), times).map { $0 - $1 }.suffix(Self.memory / 2).filter { $0 > 0 }
        guard let last = times.last, let longest = distances.max(), let shortest = distances.min() else { return true }
        let time = picture.times.seconds - last
        return time > 1.5 * longest && time > (Double(max(count, 1)) + 0.5) * shortest
    }

    /// Whether no picture is displayed for most of a frame before this one.
    private func isAfterHole(_ picture: TimedPicture, reorders: Bool) -> Bool {
        let earlier = recent.lazy.filter { $0.order < picture.order }
        guard !hasWrongDurations, let last = earlier.max(by: { $0.order < $1.order }) else { return false }
        let frames = max(Double(picture.order - last.order) * step / steadyDuration, 1)
        // Pictures between the two can still follow in decode order. At a variable frame rate they have any durations.
        guard !reorders || frames < 1.5 || !isVariable else { return false }
        let end = last.times.seconds + last.times.duration + (frames - 1) * steadyDuration
        return picture.times.seconds - end > Self.tolerance * steadyDuration
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
