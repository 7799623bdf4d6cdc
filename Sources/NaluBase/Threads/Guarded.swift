private import NaluLibc

/// A value that is accessed only while a lock is held.
///
/// It works like `Mutex` of the Synchronization module, but contains the C library's lock. On Linux the thread
/// sanitizer does not know the other lock, and reports every contended use as a race.
///
/// `@unchecked Sendable`: the value is accessed only while the lock is held.
@safe
package final class Guarded<Value>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: Value) {
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        self.value = value
        // This cannot fail on Linux with default attributes.
        _ = unsafe pthread_mutex_init(lock, nil)
    }

    deinit {
        _ = unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
    }

    /// Runs `body` with the lock held.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        _ = unsafe pthread_mutex_lock(lock)
        defer { _ = unsafe pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
