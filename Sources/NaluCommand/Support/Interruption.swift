internal import NaluBase
private import NaluLibc
private import Synchronization

/// Handles Ctrl-C and similar signals. The first one makes the run finish its output, the second one ends the process.
///
/// The signals are blocked in every thread, and one thread waits for them: nothing runs inside a signal handler, and no
/// system call is interrupted.
enum Interruption {
    /// The number of the first signal; 0 if none has arrived.
    private static let received = Atomic<Int32>(0)

    static var signal: Int32? {
        let number = received.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// Returns the exit code that shells use for a signal: 128 and its number.
    static func exitCode(_ signal: Int32) -> Int32 { 128 + signal }

    /// Starts to watch for signals. To be called before any other thread is started.
    ///
    /// - Parameter onFirst: called at the first signal, in a separate thread.
    static func watch(_ onFirst: @escaping @Sendable () -> Void) throws(NaluError) {
        var set = sigset_t()
        _ = unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            _ = unsafe sigaction(number, nil, &action)
            // A signal that the parent ignores, as nohup does, stays ignored.
            if unsafe action.__sigaction_handler.sa_handler == nil { _ = unsafe sigaddset(&set, number) }
        }
        _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        let signals = set
        try WorkerThread.start {
            var set = signals
            while true {
                var number: Int32 = 0
                guard unsafe sigwait(&set, &number) == 0 else { return }
                if signal != nil {
                    Console.error("")
                    _exit(exitCode(number))
                }
                received.store(number, ordering: .releasing)
                onFirst()
            }
        }
    }

    /// Makes a write to a pipe without a reader fail instead of ending the process.
    static func ignoreBrokenPipes() {
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
    }

    /// Prints an error message before SIGBUS ends the process, because a mapped file was truncated.
    static func explainLostInput() {
        _ = Glibc.signal(SIGBUS) { _ in
            let message: StaticString = "nalu: the input became shorter while it was read\n"
            _ = unsafe write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
            _exit(1)
        }
    }
}
