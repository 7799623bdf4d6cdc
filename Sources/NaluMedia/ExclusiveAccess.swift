internal import NaluBase
private import NaluLibc

/// Gives one thread at a time exclusive access to an object for a long operation, which may call a client. No lock is
/// held during the operation. A child of a fork gets none: it shares the position of the object's file with its parent.
final class ExclusiveAccess: Sendable {
    private let thread = Guarded<pthread_t?>(nil)
    private let name: StaticString
    private let birth: UInt32

    /// - Parameter name: the name of the shared object in error messages.
    init(to name: StaticString) {
        self.name = name
        ForkCount.watch()
        birth = ForkCount.current
    }

    /// Waits for exclusive access and runs `body`. Throws `.reentrant` if the same thread calls this function inside
    /// `body`, and `.invalidSession` in a child, by fork, of the process that created the object.
    func run<Result>(_ body: () throws(NaluError) -> Result) throws(NaluError) -> Result {
        guard birth == ForkCount.current else {
            throw NaluError(
                .invalidSession, "the \(name) belongs to the parent process; create another one after fork")
        }
        let isNested = thread.wait { thread -> Bool? in
            if let thread { return pthread_equal(thread, pthread_self()) != 0 ? true : nil }
            thread = pthread_self()
            return false
        }
        if isNested {
            throw NaluError(.reentrant, "the \(name) was called from its own callback; expected a call from outside it")
        }
        defer { thread.change { $0 = nil } }
        return try body()
    }
}
