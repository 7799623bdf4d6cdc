private import NaluLibc

/// The signals that belong to the client's threads, kept from the threads that the library starts, itself or through
/// a C library. A thread inherits the mask of the one that creates it.
package enum ClientSignals {
    /// Runs `body` with the signals blocked in the calling thread, which has its own mask back afterwards.
    package static func kept<Result>(_ body: () throws(NaluError) -> Result) throws(NaluError) -> Result {
        // Not those that an instruction of the thread causes, such as a look into a mapped file that has become shorter:
        // blocked, they would end the process past the client's handler.
        var all = sigset_t()
        var before = sigset_t()
        _ = unsafe sigfillset(&all)
        for fault in [SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP] { _ = unsafe sigdelset(&all, fault) }
        _ = unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try body()
    }
}
