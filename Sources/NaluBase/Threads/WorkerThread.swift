private import NaluLibc

/// A detached thread, usually that of one session.
package struct WorkerThread: Sendable {
    /// The session of the calling thread, as passed to `start`; nil in threads of no session. The caller is then in a
    /// callback of that session, or in client code that runs when a frame is released.
    package static var currentSession: UInt? {
        let session = mark.value
        return session == 0 ? nil : session
    }

    /// Sets the session of a thread that was not started here; 0 for none.
    package static func setCurrentSession(_ session: UInt) {
        mark.value = session
    }

    private static let mark = ThreadMark()

    /// Starts a detached thread that runs `body` and then releases it.
    ///
    /// - Parameter session: the session of the thread, or 0 for none.
    @discardableResult
    package static func start(
        of session: UInt = 0, _ body: @escaping @Sendable () -> Void
    ) throws(NaluError) -> WorkerThread {
        guard mark.exists else {
            throw NaluError(.allocationFailed, "a thread cannot be marked: pthread_key_create failed")
        }
        let box = unsafe Unmanaged.passRetained(
            Body {
                setCurrentSession(session)
                body()
            })
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let result = try InheritedState.hidden { () throws(NaluError) in
            unsafe pthread_create(
                &thread, nil,
                { argument in
                    #if canImport(Darwin)
                        let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                    #else
                        guard let argument = unsafe argument else { return nil }
                        let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                    #endif
                    body.run()
                    return nil
                }, box.toOpaque())
        }
        guard result == 0 else {
            unsafe box.release()
            throw NaluError(.allocationFailed, "a thread cannot be started: error \(result) of pthread_create")
        }
        #if canImport(Darwin)
            guard let thread = unsafe thread else {
                throw NaluError(.allocationFailed, "pthread_create returned no thread")
            }
            _ = unsafe pthread_detach(thread)
            return WorkerThread()
        #else
            _ = pthread_detach(thread)
            return WorkerThread()
        #endif
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
