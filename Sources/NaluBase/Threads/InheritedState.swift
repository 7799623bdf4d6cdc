private import NaluLibc

/// The state that a thread inherits from the thread that creates it: the signal mask and the floating-point environment.
/// Threads that the library starts, directly or through a C library, must not have the client's.
package enum InheritedState {
    /// Runs `body` with the signals blocked in the calling thread and the default floating-point environment, and
    /// restores both afterwards.
    package static func hidden<Result>(_ body: () throws(NaluError) -> Result) throws(NaluError) -> Result {
        // Signals that the thread's own instructions cause stay unblocked, for example by reading a mapped file that
        // has become shorter. If blocked, they would end the process without calling the client's handler.
        var all = sigset_t()
        var before = sigset_t()
        _ = unsafe sigfillset(&all)
        for fault in [SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP] { _ = unsafe sigdelset(&all, fault) }
        _ = unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try FloatEnvironment.hidden(body)
    }
}
