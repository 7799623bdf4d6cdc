private import NaluLibc

/// A timeline: a clock, or a timebase that follows another one, its source, at a rate. The same as CoreMedia's
/// `CMClock` and `CMTimebase`.
///
/// The time of a timebase that follows a source is `anchor + rate * (time of the source - time of the source at the
/// anchor)`. The corresponding C type is `nalu_timebase`, whose header has the details.
///
/// `@unchecked Sendable`: the variables are accessed only under ``lock``. One lock protects all timebases, because they
/// follow each other and every access is short. The host clock has no variables that change, and needs no lock.
public final class Timebase: @unchecked Sendable {
    enum Kind {
        case hostClock, manualClock, follower
    }

    static let lock: Guarded<Void> = {
        // fork waits until no thread has the lock, so that the child can use timebases.
        _ = pthread_atfork({ Timebase.lock.acquire() }, { Timebase.lock.release() }, { Timebase.lock.release() })
        return Guarded(())
    }()

    let kind: Kind
    /// The source; nil for a clock.
    private(set) var followed: Timebase?
    private var followers: [ObjectIdentifier: Follower] = [:]
    private(set) var rate: Double
    /// The timebase's time is `anchor` when its source's time is `sourceAnchor`. For a manual clock, `anchor` is the
    /// time.
    private(set) var anchor: MediaTime
    private(set) var sourceAnchor = MediaTime.zero
    private var observers: [UInt64: TimebaseObserver] = [:]
    private var lastObserver: UInt64 = 0

    private struct Follower {
        weak var timebase: Timebase?
    }

    private init(_ kind: Kind, at time: MediaTime, rate: Double) {
        self.kind = kind
        anchor = time
        self.rate = rate
    }

    /// The clock of this computer, CLOCK_MONOTONIC in nanoseconds.
    public static let hostClock = Timebase(.hostClock, at: .zero, rate: 1)

    /// Creates a clock whose time changes only by ``setTime(_:)``.
    public static func manualClock(at time: MediaTime) throws(NaluError) -> Timebase {
        try requireNumeric(time, "time")
        return Timebase(.manualClock, at: time, rate: 1)
    }

    /// Creates a timebase that follows `source`, at time 0 with rate 0.
    public convenience init(source: Timebase = .hostClock) {
        self.init(.follower, at: .zero, rate: 0)
        Self.lock.withLock { _ in
            sourceAnchor = source.now
            follow(source)
        }
    }

    deinit {
        var next = Self.lock.withLock { _ in unfollow() }
        // A loop instead of recursion: a client decides how many timebases follow each other. A source that nothing
        // else refers to loses its own source before it is released.
        while next != nil {
            let source = Self.lock.withLock { _ -> Timebase? in
                isKnownUniquelyReferenced(&next) ? next?.unfollow() : nil
            }
            next = source
        }
    }

    // MARK: Source

    /// The timebase that this one follows; nil for a clock.
    public var source: Timebase? { Self.lock.withLock { _ in followed } }

    /// Makes the timebase follow another source. It continues from its present time.
    public func setSource(_ source: Timebase) throws(NaluError) {
        let former = try Self.lock.withLock { _ throws(NaluError) -> Timebase? in
            guard kind == .follower else {
                throw NaluError(.parameter, "timebase is a clock, which has no source; create a timebase instead")
            }
            var object: Timebase? = source
            while let timebase = object {
                guard timebase !== self else {
                    throw NaluError(.parameter, "source follows timebase; expected one that does not depend on it")
                }
                object = timebase.followed
            }
            anchor = now
            let former = unfollow()
            follow(source)
            sourceAnchor = source.now
            return former
        }
        // Released after the change, outside the lock.
        withExtendedLifetime(former) { notify() }
    }

    /// Makes the timebase follow `source`. The caller holds the lock.
    private func follow(_ source: Timebase) {
        followed = source
        source.followers[ObjectIdentifier(self)] = Follower(timebase: self)
    }

    /// Removes the source and returns it. The caller holds the lock, and must release the source outside of it.
    private func unfollow() -> Timebase? {
        let source = followed
        source?.followers[ObjectIdentifier(self)] = nil
        followed = nil
        return source
    }

    // MARK: Time and rate

    /// The present time.
    public var time: MediaTime {
        if kind == .hostClock { return Self.hostTime }
        return Self.lock.withLock { _ in now }
    }

    static var hostTime: MediaTime { MediaTime(value: MonotonicClock.nanoseconds, timescale: 1_000_000_000) }

    /// The rate relative to the clock at the end of the chain of sources.
    public var effectiveRate: Double { Self.lock.withLock { _ in rateFromClock } }

    /// The present time, and the rate relative to the source.
    public var timeAndRate: (time: MediaTime, rate: Double) { Self.lock.withLock { _ in (now, rate) } }

    /// Sets the present time.
    public func setTime(_ time: MediaTime) throws(NaluError) {
        try move(rate: nil, time: time, sourceTime: nil)
    }

    /// Sets the rate relative to the source: 1 for its speed, 0 to stop, a negative number to run backwards.
    public func setRate(_ rate: Double) throws(NaluError) {
        try move(rate: rate, time: nil, sourceTime: nil)
    }

    /// Sets the time that the timebase has when its source has `sourceTime`, and the rate unless that is nil.
    public func setAnchor(rate: Double? = nil, time: MediaTime, sourceTime: MediaTime) throws(NaluError) {
        try move(rate: rate, time: time, sourceTime: sourceTime)
    }

    private func move(rate newRate: Double?, time: MediaTime?, sourceTime: MediaTime?) throws(NaluError) {
        if let time { try Self.requireNumeric(time, "time") }
        if let sourceTime { try Self.requireNumeric(sourceTime, "source_time") }
        if let newRate, !newRate.isFinite {
            throw NaluError(.parameter, "rate is \(newRate); expected a finite number")
        }
        if kind != .follower {
            guard kind == .manualClock, newRate == nil, sourceTime == nil else {
                let allowed =
                    kind == .manualClock ? "only the time of a manual clock can be set" : "the host clock cannot be set"
                throw NaluError(.parameter, "timebase is a clock: \(allowed); create a timebase that follows it")
            }
        }
        Self.lock.withLock { _ in
            let sourceNow = followed?.now ?? .zero
            anchor = time ?? self.time(atSource: sourceNow)
            sourceAnchor = sourceTime ?? sourceNow
            if let newRate { rate = newRate }
        }
        notify()
    }

    private static func requireNumeric(_ time: MediaTime, _ name: String) throws(NaluError) {
        guard time.isNumeric else { throw NaluError(.parameter, "\(name) is \(time); expected a numeric time") }
    }

    // MARK: Observers

    /// Calls `body` after each change of the timeline, in the thread that made it. Returns a number for
    /// ``removeObserver(_:)``.
    public func addObserver(_ body: @escaping @Sendable () -> Void) -> UInt64 {
        Self.lock.withLock { _ in
            lastObserver += 1
            observers[lastObserver] = TimebaseObserver(body)
            return lastObserver
        }
    }

    /// Removes an observer, whose body does not run afterwards. Waits for a body that is running in another thread.
    public func removeObserver(_ number: UInt64) {
        let observer = Self.lock.withLock { _ in observers.removeValue(forKey: number) }
        observer?.end()
    }

    /// Calls the observers of the timebase and of all that follow it. The calls are made outside the lock.
    private func notify() {
        let (affected, observers) = Self.lock.withLock { _ in
            // The references are held until the lock is free: the last one runs a deinit, which takes the lock.
            var affected = [self]
            var index = 0
            while index < affected.count {
                affected.append(contentsOf: affected[index].followers.values.compactMap(\.timebase))
                index += 1
            }
            return (affected, affected.flatMap { $0.observers.sorted { $0.key < $1.key }.map(\.value) })
        }
        withExtendedLifetime(affected) { for observer in observers { observer.call() } }
    }
}
