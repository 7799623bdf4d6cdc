private import NaluLibc

/// A number that each thread has of its own; 0 at the beginning.
struct ThreadMark: Sendable {
    private let key: pthread_key_t?

    init() {
        var key = pthread_key_t()
        self.key = unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }

    /// False where the process has no key left: the value stays 0.
    var exists: Bool { key != nil }

    var value: UInt {
        get {
            guard let key else { return 0 }
            return unsafe UInt(bitPattern: pthread_getspecific(key))
        }
        nonmutating set {
            guard let key else { return }
            _ = unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue))
        }
    }
}
