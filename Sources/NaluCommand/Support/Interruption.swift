internal import NaluBase
private import NaluLibc
private import Synchronization

/// Ctrl-C and its kin. The first one asks the run to end well, the second one ends the process.
///
/// The signals are blocked in every thread, and one thread waits for them: nothing runs inside a signal handler, and
/// no system call is interrupted.
enum Interruption {
    /// The number of the first signal that came; 0: none.
    private static let received = Atomic<Int32>(0)

    static var signal: Int32? {
        let number = received.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// 128 and the number of the signal, as shells count.
    static func exitCode(_ signal: Int32) -> Int32 { 128 + signal }

    /// To be called before any other thread is started.
    ///
    /// - Parameter onFirst: called in a thread of its own.
    static func watch(_ onFirst: @escaping @Sendable () -> Void) throws(NaluError) {
        var set = sigset_t()
        _ = unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            _ = unsafe sigaction(number, nil, &action)
            // Who started us with it ignored, as nohup does, wants that.
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

    /// Writing to a pipe that nobody reads shall fail rather than end the process.
    static func ignoreBrokenPipes() {
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
    }

    /// A mapped file that becomes shorter ends the process at the next look; with a sentence at least.
    static func explainLostInput() {
        _ = Glibc.signal(SIGBUS) { _ in
            let sentence: StaticString = "nalu: the input has become shorter while it was read\n"
            _ = unsafe write(STDERR_FILENO, sentence.utf8Start, sentence.utf8CodeUnitCount)
            _exit(1)
        }
    }
}
