private import NaluLibc

/// SIGPIPE, which ends a program that writes to a closed pipe.
enum PipeSignal {
    /// Runs `body`, during which a SIGPIPE of this thread is not delivered. One that was pending before stays so: the
    /// signal that a write raises goes to the thread that wrote, and the same signal cannot be pending twice.
    static func suppressed(_ body: () -> Int32) -> Int32 {
        var pipe = sigset_t()
        var before = sigset_t()
        var pending = sigset_t()
        _ = unsafe sigemptyset(&pipe)
        _ = unsafe sigaddset(&pipe, SIGPIPE)
        _ = unsafe sigpending(&pending)
        let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
        _ = unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
        let result = body()
        if result == EPIPE && !wasPending {
            var none = timespec()
            while unsafe sigtimedwait(&pipe, nil, &none) < 0 && errno == EINTR {}
        }
        _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        return result
    }
}
