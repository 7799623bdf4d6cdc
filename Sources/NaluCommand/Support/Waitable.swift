private import NaluLibc

/// A value under a lock. Threads can sleep until the value meets a condition, with an optional time limit.
///
/// NaluBase's `Monitor` is no substitute: its waits have no time limit, the changing thread names the condition, and it
/// throws after a fork, which the command never does. `Guarded` suffices if no thread sleeps.
///
/// `@unchecked Sendable`: the value is touched only while the mutex is held.
@safe
final class Waitable<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    init(_ value: Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        // These calls cannot fail on Linux with these attributes.
        _ = unsafe pthread_condattr_init(&attributes)
        _ = unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        _ = unsafe pthread_mutex_init(mutex, nil)
        _ = unsafe pthread_cond_init(condition, &attributes)
        _ = unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        _ = unsafe pthread_cond_destroy(condition)
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Reads the value.
    func read<Result>(_ body: (Value) -> Result) -> Result {
        _ = unsafe pthread_mutex_lock(mutex)
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        return body(value)
    }

    /// Changes the value and wakes all waiting threads.
    @discardableResult
    func change<Result>(_ body: (inout Value) -> Result) -> Result {
        _ = unsafe pthread_mutex_lock(mutex)
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        let result = body(&value)
        _ = unsafe pthread_cond_broadcast(condition)
        return result
    }

    /// Sleeps until `body` returns a result, for which it may change the value; then wakes the other threads.
    func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
        _ = unsafe pthread_mutex_lock(mutex)
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) {
                _ = unsafe pthread_cond_broadcast(condition)
                return result
            }
            _ = unsafe pthread_cond_wait(condition, mutex)
        }
    }

    /// Sleeps as above, for at most `milliseconds`; then returns nil.
    func wait<Result>(milliseconds: Int, _ body: (inout Value) -> Result?) -> Result? {
        var deadline = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + milliseconds * 1_000_000
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        _ = unsafe pthread_mutex_lock(mutex)
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) {
                _ = unsafe pthread_cond_broadcast(condition)
                return result
            }
            if unsafe pthread_cond_timedwait(condition, mutex, &deadline) != 0 { return nil }
        }
    }
}
