private import NaluLibc

/// A thread-local number, initially 0.
package struct ThreadMark: Sendable {
    private let key: pthread_key_t?

    package init() {
        var key = pthread_key_t()
        self.key = unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }

    /// False if the process has no thread-local key left. The value is then always 0.
    package var exists: Bool { key != nil }

    package var value: UInt {
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
