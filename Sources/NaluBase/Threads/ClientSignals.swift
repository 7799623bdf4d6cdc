private import NaluLibc

/// Keeps the client's signals away from threads that the library starts, directly or through a C library. A thread
/// inherits the signal mask of the thread that creates it.
package enum ClientSignals {
    /// Runs `body` with the signals blocked in the calling thread, and restores the thread's mask afterwards.
    package static func kept<Result>(_ body: () throws(NaluError) -> Result) throws(NaluError) -> Result {
        // Signals that the thread's own instructions cause stay unblocked, for example by reading a mapped file that
        // has become shorter. If blocked, they would end the process without calling the client's handler.
        var all = sigset_t()
        var before = sigset_t()
        _ = unsafe sigfillset(&all)
        for fault in [SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP] { _ = unsafe sigdelset(&all, fault) }
        _ = unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try body()
    }
}
