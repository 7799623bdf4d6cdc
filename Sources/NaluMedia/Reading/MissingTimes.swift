internal import NaluBitstream

/// Computes the presentation times of access units without one, from those of their neighbours in output order. MPEG-TS
/// may omit most times (ITU-T H.222.0, 2.7.4).
struct MissingTimes {
    /// Access units with a time since the last restart of the output order.
    private var known: [(order: Int, time: Int64)] = []
    /// The latest presentation time so far.
    private var latest: Int64?
    /// The time from one position in output order to the next, from the last two neighbours, in units of the track.
    private var step: Double?
    /// The duration of a frame, in units of the track.
    private var frame: Int64

    private static let most = 32

    /// - Parameter frame: the duration of a frame, used until two times are known.
    init(frame: Int64) {
        self.frame = max(frame, 1)
    }

    /// Returns the presentation time of the next access unit in decode order; nil until an access unit has had one. The
    /// caller must pass all access units, also those with a time.
    mutating func time(of place: PicturePlace?, given: Int64?) -> Int64? {
        guard let place else {
            let time = given ?? latest.map { $0 &+ frame }
            if let time { latest = max(latest ?? time, time) }
            return time
        }
        if place.restartsOrder { known.removeAll(keepingCapacity: true) }
        guard let time = given ?? counted(place.order) else { return nil }
        latest = max(latest ?? time, time)
        if given != nil { measure(place.order, time) }
        if known.count == Self.most { known.removeFirst() }
        known.append((place.order, time))
        return time
    }

    private mutating func measure(_ order: Int, _ time: Int64) {
        let nearest = known.min { ($0.order &- order).magnitude < ($1.order &- order).magnitude }
        guard let near = nearest, near.order != order else { return }
        let orders = Double(order &- near.order)
        let units = Double(time &- near.time)
        guard units / orders > 0 else { return }
        step = units / orders
        frame = max(1, Int64(min(abs(units), Self.longest)))
    }

    /// The largest distance between two neighbours that is used, in units of the track.
    private static let longest = 1e15

    private static func later(_ time: Int64, by distance: Double) -> Int64? {
        abs(distance) < longest ? time &+ Int64(distance.rounded()) : nil
    }

    private func counted(_ order: Int) -> Int64? {
        let before = known.filter { $0.order < order }.max { $0.order < $1.order }
        let after = known.filter { $0.order > order }.min { $0.order < $1.order }
        if let before, let after {
            let part = Double(order &- before.order) / Double(after.order &- before.order)
            return Self.later(before.time, by: Double(after.time &- before.time) * part)
        }
        if let near = before ?? after, let step {
            return Self.later(near.time, by: Double(order &- near.order) * step)
        }
        return latest.map { $0 &+ frame }
    }
}
