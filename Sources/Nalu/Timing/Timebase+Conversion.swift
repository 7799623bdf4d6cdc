// Conversions between timebases. They use loops, not recursion: a client decides how many timebases follow each other.
// The caller of a function without `public` holds the lock.

extension Timebase {
    /// Returns the time of `other` at the moment when this timebase has `time`; the invalid time if the two follow
    /// different clocks, or if a stopped timebase on the way has no single moment for it.
    public func convert(_ time: MediaTime, to other: Timebase) -> MediaTime {
        Self.lock.withLock { _ in
            guard let common = common(with: other) else { return .invalid }
            // The reciprocal of a tiny rate is infinite.
            return FloatEnvironment.hidden {
                var converted = time
                var object = self
                while object !== common, let source = object.followed {
                    converted = object.sourceTime(at: converted)
                    object = source
                }
                return converted.isValid ? other.time(at: converted, of: common) : .invalid
            }
        }
    }

    /// Returns the rate relative to `reference`, and the times of both at the same moment.
    ///
    /// Throws `.valueNotAvailable` if the two follow different clocks, or if `reference` is stopped relative to the
    /// nearest timebase that both follow.
    public func relation(
        to reference: Timebase
    ) throws(NaluError) -> (rate: Double, time: MediaTime, referenceTime: MediaTime) {
        try Self.lock.withLock { _ throws(NaluError) in
            guard let common = common(with: reference) else {
                throw NaluError(.valueNotAvailable, "timebase and reference follow different clocks")
            }
            return try FloatEnvironment.hidden { () throws(NaluError) in
                let below = reference.rate(below: common)
                guard below != 0 else {
                    throw NaluError(.valueNotAvailable, "reference is stopped; set its rate first")
                }
                let now = common.now
                return (rate(below: common) / below, time(at: now, of: common), reference.time(at: now, of: common))
            }
        }
    }

    /// Whether both follow the same clock, so that they cannot drift apart.
    public func sharesClock(with other: Timebase) -> Bool {
        Self.lock.withLock { _ in common(with: other) != nil }
    }

    var now: MediaTime {
        // A timebase with rate 0 has a fixed time, so the time of its source is not needed.
        var moving = self
        while moving.rate != 0, let source = moving.followed { moving = source }
        return self.time(at: moving.kind == .hostClock ? Self.hostTime : moving.anchor, of: moving)
    }

    var rateFromClock: Double {
        var rate = 1.0
        var object = self
        while let source = object.followed {
            rate *= object.rate
            object = source
        }
        return rate
    }

    /// Returns the time when the source has `sourceTime`. A clock has its own time at all times.
    func time(atSource sourceTime: MediaTime) -> MediaTime {
        if rate == 0 || followed == nil { return anchor }
        return anchor + (sourceTime - sourceAnchor).multiplied(by: rate)
    }

    /// Returns the time of the source when the timebase has `time`; the invalid time if the rate is 0.
    private func sourceTime(at time: MediaTime) -> MediaTime {
        if rate == 0 { return .invalid }
        return sourceAnchor + (time - anchor).multiplied(by: 1 / rate)
    }

    /// Returns the time when `ancestor`, which this timebase follows, or is, has `time`.
    private func time(at time: MediaTime, of ancestor: Timebase) -> MediaTime {
        var path: [Timebase] = []
        var object = self
        while object !== ancestor, let source = object.followed {
            path.append(object)
            object = source
        }
        return path.reversed().reduce(time) { $1.time(atSource: $0) }
    }

    /// Returns the rate relative to `ancestor`, which this timebase follows, or is.
    private func rate(below ancestor: Timebase) -> Double {
        var rate = 1.0
        var object = self
        while object !== ancestor, let source = object.followed {
            rate *= object.rate
            object = source
        }
        return rate
    }

    /// Returns the nearest timebase that both follow or are; nil if they follow different clocks.
    private func common(with other: Timebase) -> Timebase? {
        var (first, second): (Timebase?, Timebase?) = (self, other)
        let (depth, otherDepth) = (depth, other.depth)
        for _ in 0..<max(depth - otherDepth, 0) { first = first?.followed }
        for _ in 0..<max(otherDepth - depth, 0) { second = second?.followed }
        while first !== second {
            first = first?.followed
            second = second?.followed
        }
        return first
    }

    private var depth: Int {
        var depth = 0
        var object = self
        while let source = object.followed {
            depth += 1
            object = source
        }
        return depth
    }
}
