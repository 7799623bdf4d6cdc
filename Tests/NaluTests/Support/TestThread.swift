import Synchronization

@testable import Nalu

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A separate thread for a body that may block. The pool that runs the tests has few threads, and a test must not wait
/// for another one.
final class TestThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        let isDone = Atomic(false)

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let body: Body

    init(_ run: @escaping @Sendable () -> Void) {
        body = Body(run)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let result = pthread_create(
            &thread, nil,
            { argument in
                #if canImport(Darwin)
                    let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                #else
                    guard let argument else { return nil }
                    let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                #endif
                body.run()
                body.isDone.store(true, ordering: .sequentiallyConsistent)
                return nil
            }, Unmanaged.passRetained(body).toOpaque())
        precondition(result == 0, "a test's thread cannot be started")
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    /// Returns true if the body returned in time.
    func join() -> Bool {
        eventually { body.isDone.load(ordering: .sequentiallyConsistent) }
    }

    var isRunning: Bool { !body.isDone.load(ordering: .sequentiallyConsistent) }

    static func sleep(milliseconds: Double) {
        usleep(UInt32(milliseconds * 1000))
    }
}

/// Waits for a condition; returns false after a limit. The limit makes a test fail instead of hang. It is so long that
/// no test depends on the machine's speed.
func eventually(_ condition: () -> Bool) -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(300)
    while !condition() {
        if clock.now > end { return false }
        TestThread.sleep(milliseconds: 0.2)
    }
    return true
}

/// Returns the processor time of the calling thread in seconds, which other programs do not affect.
func processorSeconds() -> Double {
    var time = timespec()
    precondition(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0, "the thread has no clock")
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A gate at which threads wait until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var waiting = 0
    }

    private let state: Guarded<State>

    init(isOpen: Bool = false) { state = Guarded(State(isOpen: isOpen)) }

    func open() { state.withLock { $0.isOpen = true } }
    func close() { state.withLock { $0.isOpen = false } }

    /// The number of waiting threads.
    var waiting: Int { state.withLock { $0.waiting } }

    func pass() {
        state.withLock { $0.waiting += 1 }
        _ = eventually { state.withLock { $0.isOpen } }
        state.withLock { $0.waiting -= 1 }
    }
}
