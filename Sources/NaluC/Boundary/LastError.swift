internal import Nalu
private import NaluBase
private import NaluLibc

/// The error message of the last failure on each thread.
enum LastError {
    /// The key of the thread's error message, which is freed when the thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        _ = unsafe pthread_key_create(&key) { unsafe free($0) }
        return key
    }()

    static func set(_ message: String) {
        let copy = unsafe strdup(message.withoutMarkedBytes)
        unsafe free(pthread_getspecific(key))
        _ = unsafe pthread_setspecific(key, copy)
    }

    static var message: UnsafePointer<CChar> {
        if let message = unsafe pthread_getspecific(key) {
            return unsafe UnsafePointer(message.assumingMemoryBound(to: CChar.self))
        }
        return unsafe Immortal.empty
    }
}
