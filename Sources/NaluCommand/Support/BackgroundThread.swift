private import NaluLibc

/// A thread that runs one closure and that nobody waits for.
enum BackgroundThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    static func start(_ run: @escaping @Sendable () -> Void) throws(Failure) {
        let body = unsafe Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, unsafe body.toOpaque())
        guard status == 0 else {
            unsafe body.release()
            throw Failure.system("cannot start a thread", status)
        }
        _ = pthread_detach(thread)
    }
}
