private import NaluLibc

/// A value under a lock, for whose changes threads can wait.
///
/// Nalu has two locks. `Guarded` is the usual one. ``Monitor`` is for the state of a session that has a thread of its
/// own: it wakes only the threads that wait for one of several events, and throws in a child of a fork, which lacks the
/// session's thread. `Mutex` of the Synchronization module is not used, because on Linux the thread sanitizer does not
/// support it, and reports every contended use as a race. A single flag or number is an `Atomic`.
///
/// `@unchecked Sendable`: the value is accessed only while the lock is held.
@safe
package final class Guarded<Value>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    package init(_ value: Value) {
        self.value = value
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        // These calls cannot fail on Linux with these attributes.
        _ = unsafe pthread_condattr_init(&attributes)
        _ = unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        _ = unsafe pthread_mutex_init(lock, nil)
        _ = unsafe pthread_cond_init(condition, &attributes)
        _ = unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        _ = unsafe pthread_cond_destroy(condition)
        _ = unsafe pthread_mutex_destroy(lock)
        unsafe condition.deallocate()
        unsafe lock.deallocate()
    }

    /// Runs `body` with the lock held. Does not wake waiting threads.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        _ = unsafe pthread_mutex_lock(lock)
        defer { _ = unsafe pthread_mutex_unlock(lock) }
        return try body(&value)
    }

    /// Acquires the lock, for a handler of fork. The caller releases it with ``release()``.
    package func acquire() {
        _ = unsafe pthread_mutex_lock(lock)
    }

    package func release() {
        _ = unsafe pthread_mutex_unlock(lock)
    }

    /// Changes the value and wakes all waiting threads.
    @discardableResult
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        withLock { value in
            defer { _ = unsafe pthread_cond_broadcast(condition) }
            return body(&value)
        }
    }

    /// Sleeps until `body` returns a result, for which it may change the value; then wakes the other threads.
    package func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
        _ = unsafe pthread_mutex_lock(lock)
        defer { _ = unsafe pthread_mutex_unlock(lock) }
        // The access to the value must end before the sleep. During one access, the optimizer may assume that nothing
        // else changes the value, and would read it only once.
        while true {
            if let result = body(&value) {
                _ = unsafe pthread_cond_broadcast(condition)
                return result
            }
            _ = unsafe pthread_cond_wait(condition, lock)
        }
    }

    /// Sleeps like ``wait(_:)``, for at most `milliseconds`; then returns nil.
    package func wait<Result>(milliseconds: Int, _ body: (inout Value) -> Result?) -> Result? {
        var deadline = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + milliseconds * 1_000_000
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        _ = unsafe pthread_mutex_lock(lock)
        defer { _ = unsafe pthread_mutex_unlock(lock) }
        while true {
            if let result = body(&value) {
                _ = unsafe pthread_cond_broadcast(condition)
                return result
            }
            if unsafe pthread_cond_timedwait(condition, lock, &deadline) != 0 { return nil }
        }
    }
}
