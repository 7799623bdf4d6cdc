private import NaluLibc
private import Synchronization

/// The events that a session's threads wait for.
@usableFromInline package enum MonitorCondition: Int, CaseIterable, Sendable {
    /// The session's thread has something to do.
    case work
    /// A queue has room.
    case room
    /// A frame was delivered, or a thread has ended.
    case progress
}

/// The state of a session under a lock, for whose events the session's threads wait. ``Guarded`` describes when to use
/// which lock.
///
/// `@unchecked Sendable`: the value is accessed only while the mutex is held.
@safe
@usableFromInline package final class Monitor<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let conditions: UnsafeMutablePointer<pthread_cond_t>
    private let waiters: UnsafeMutablePointer<Int>
    @usableFromInline var value: Value
    /// The conditions to wake when the lock is released, one bit each.
    private var wakes: UInt8 = 0
    private let birth: UInt32

    package init(_ value: Value) {
        ForkCount.watch()
        birth = ForkCount.current
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe conditions = .allocate(capacity: MonitorCondition.allCases.count)
        unsafe conditions.initialize(repeating: pthread_cond_t(), count: MonitorCondition.allCases.count)
        unsafe waiters = .allocate(capacity: MonitorCondition.allCases.count)
        unsafe waiters.initialize(repeating: 0, count: MonitorCondition.allCases.count)
        self.value = value
        var attributes = pthread_condattr_t()
        // These cannot fail on Linux with these attributes.
        _ = unsafe pthread_condattr_init(&attributes)
        _ = unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        _ = unsafe pthread_mutex_init(mutex, nil)
        for index in 0..<MonitorCondition.allCases.count {
            _ = unsafe pthread_cond_init(conditions + index, &attributes)
        }
        _ = unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        // In a child of a fork the destruction would wait for the parent's threads.
        if isOfParent { return }
        for index in 0..<MonitorCondition.allCases.count {
            _ = unsafe pthread_cond_destroy(conditions + index)
        }
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe conditions.deallocate()
        unsafe waiters.deallocate()
        unsafe mutex.deallocate()
    }

    /// Whether the process is a child, by fork, of the process that created the monitor. The child does not have its
    /// threads.
    @usableFromInline package var isOfParent: Bool { birth != ForkCount.current }

    @usableFromInline static var parentError: NaluError {
        NaluError(.invalidSession, "the session belongs to the parent process; create another one after fork")
    }

    /// Runs `body` with the lock held. `body` must neither call nor release anything that belongs to a client.
    @inlinable @inline(__always)
    package func locked<Result>(_ body: (inout Value) throws(NaluError) -> Result) throws(NaluError) -> Result {
        if isOfParent { throw Self.parentError }
        lock()
        defer { unlock() }
        return try body(&value)
    }

    /// Waits until `ready` returns a result. The lock is released while waiting.
    @inlinable @inline(__always)
    package func wait<Result>(
        for condition: MonitorCondition, _ ready: (inout Value) throws(NaluError) -> Result?
    ) throws(NaluError) -> Result {
        if isOfParent { throw Self.parentError }
        lock()
        defer { unlock() }
        while true {
            if let result = try ready(&value) {
                return result
            }
            sleep(condition)
        }
    }

    /// Waits like ``wait(for:_:)`` until a moment of ``MonotonicClock``; then returns nil.
    package func wait<Result>(
        for condition: MonitorCondition, untilNanoseconds moment: Int64,
        _ ready: (inout Value) throws(NaluError) -> Result?
    ) throws(NaluError) -> Result? {
        if isOfParent { throw Self.parentError }
        lock()
        defer { unlock() }
        while true {
            if let result = try ready(&value) {
                return result
            }
            guard sleep(condition, until: moment) else { return nil }
        }
    }

    @usableFromInline
    func lock() {
        _ = unsafe pthread_mutex_lock(mutex)
    }

    /// Sleeps until `condition` is woken. The lock is released while sleeping.
    @usableFromInline
    func sleep(_ condition: MonitorCondition) {
        sendNow()
        unsafe waiters[condition.rawValue] += 1
        _ = unsafe pthread_cond_wait(conditions + condition.rawValue, mutex)
        unsafe waiters[condition.rawValue] -= 1
    }

    /// Sleeps like ``sleep(_:)``. Returns false if the moment has come.
    private func sleep(_ condition: MonitorCondition, until moment: Int64) -> Bool {
        sendNow()
        var deadline = timespec()
        deadline.tv_sec = Int(moment / 1_000_000_000)
        deadline.tv_nsec = Int(moment % 1_000_000_000)
        unsafe waiters[condition.rawValue] += 1
        let result = unsafe pthread_cond_timedwait(conditions + condition.rawValue, mutex, &deadline)
        unsafe waiters[condition.rawValue] -= 1
        return result == 0
    }

    private func sendNow() {
        if wakes == 0 { return }
        send(wakes)
        wakes = 0
    }

    /// Wakes the threads that wait for `condition` when the lock is released. Threads that woke earlier would run into
    /// the lock and sleep again. Call it with the lock held; without waiters it costs nothing.
    @inline(__always)
    package func wake(_ condition: MonitorCondition) {
        if unsafe waiters[condition.rawValue] > 0 {
            wakes |= 1 << UInt8(condition.rawValue)
        }
    }

    @usableFromInline
    func unlock() {
        let wakes = wakes
        self.wakes = 0
        _ = unsafe pthread_mutex_unlock(mutex)
        if wakes != 0 {
            send(wakes)
        }
    }

    private func send(_ wakes: UInt8) {
        for index in 0..<MonitorCondition.allCases.count where wakes & 1 << UInt8(index) != 0 {
            _ = unsafe pthread_cond_broadcast(conditions + index)
        }
    }
}

/// The number of forks between this process and the one that loaded the library. A child of a fork has the memory of
/// its parent's sessions and none of their threads. Locks may be held in it for ever.
package enum ForkCount {
    private static let count = Atomic<UInt32>(0)

    private static let isWatched =
        pthread_atfork(nil, nil) {
            ForkCount.count.wrappingAdd(1, ordering: .relaxed)
        } == 0

    /// The number of forks since the first ``watch()``.
    package static var current: UInt32 {
        count.load(ordering: .relaxed)
    }

    package static func watch() {
        _ = isWatched
    }
}
