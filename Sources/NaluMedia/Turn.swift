internal import Nalu
internal import NaluBase
private import NaluLibc

/// Gives one thread at a time exclusive access for a long operation, which may call a client. The mutex is not locked
/// during the operation.
///
/// `@unchecked Sendable`: the state is used only while the mutex is locked.
@safe
final class Turn: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let free: UnsafeMutablePointer<pthread_cond_t>
    private var owner: pthread_t?
    private let name: StaticString

    /// - Parameter name: the name of the shared object in error messages.
    init(_ name: StaticString) {
        self.name = name
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe free = .allocate(capacity: 1)
        unsafe free.initialize(to: pthread_cond_t())
        // These calls cannot fail on Linux with default attributes.
        _ = unsafe pthread_mutex_init(mutex, nil)
        _ = unsafe pthread_cond_init(free, nil)
    }

    deinit {
        _ = unsafe pthread_cond_destroy(free)
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe free.deallocate()
        unsafe mutex.deallocate()
    }

    /// Waits for exclusive access and runs `body`. Throws `.reentrant` if the same thread calls this function inside
    /// `body`.
    func taken<Result>(_ body: () throws(NaluError) -> Result) throws(NaluError) -> Result {
        _ = unsafe pthread_mutex_lock(mutex)
        if let owner, pthread_equal(owner, pthread_self()) != 0 {
            _ = unsafe pthread_mutex_unlock(mutex)
            throw NaluError(
                .reentrant, "the \(name) was called from its own callback; expected a call from outside it")
        }
        while owner != nil {
            _ = unsafe pthread_cond_wait(free, mutex)
        }
        owner = pthread_self()
        _ = unsafe pthread_mutex_unlock(mutex)
        defer {
            _ = unsafe pthread_mutex_lock(mutex)
            owner = nil
            _ = unsafe pthread_mutex_unlock(mutex)
            _ = unsafe pthread_cond_signal(free)
        }
        return try body()
    }
}
