private import NaluLibc

/// Stores the frames that a session delivers, in the same order, until they are fetched.
///
/// Pass ``receive(_:)`` to a session as its handler, and ``close()`` as its `onFinish`. Several sessions may share a
/// queue: call ``attach()`` for each of them, and ``detach()`` when it ends. Several threads may fetch.
public final class OutputQueue: Sendable {
    /// The result of ``next(timeout:)``.
    public enum Next: Sendable {
        case frame(EncodedFrame)
        /// No frame arrived in time.
        case nothingYet
        /// No frame will arrive any more.
        case end
    }

    private struct State {
        var frames = RingBuffer<EncodedFrame>(capacity: 64)
        var isClosed = false
        var sessions = 0
        /// Live frame sources, counted per session.
        var supplies: [UInt: Int] = [:]
    }

    /// A frame source. A session delivers frames to a queue, or will do so, as long as this object lives.
    package final class Supply: Sendable {
        private let queue: OutputQueue
        private let session = Guarded<UInt?>(nil)

        package init(to queue: OutputQueue) {
            self.queue = queue
        }

        /// Sets the session of the source. Call it at most once.
        package func begin(from session: CompressionSession) {
            let identity = session.core.identity
            self.session.withLock { $0 = identity }
            queue.state.withLock { $0.supplies[identity, default: 0] += 1 }
        }

        deinit {
            guard let identity = session.withLock({ $0 }) else { return }
            queue.state.withLock { state in
                let left = (state.supplies[identity] ?? 1) - 1
                state.supplies[identity] = left > 0 ? left : nil
            }
        }
    }

    private let state = Guarded(State())
    /// A pair of sockets that contains a byte while a frame can be fetched, or the queue is closed. Threads and event
    /// loops can both wait for it.
    private let readEnd: Int32
    private let writeEnd: Int32

    /// - Throws: ``Status/allocationFailed`` if the process has no file descriptors left.
    public init() throws(NaluError) {
        var ends: (Int32, Int32) = (-1, -1)
        #if canImport(Darwin)
            let type = SOCK_STREAM
        #else
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        #endif
        let result = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe socketpair(AF_UNIX, type, 0, bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard result == 0 else {
            throw NaluError(
                .allocationFailed, "the queue needs two file descriptors, and socketpair failed with error \(errno)")
        }
        #if canImport(Darwin)
            for end in [ends.0, ends.1] {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        #endif
        (readEnd, writeEnd) = ends
    }

    deinit {
        closeDescriptor(readEnd)
        closeDescriptor(writeEnd)
    }

    /// Appends a frame. This is the session's handler.
    public func receive(_ frame: EncodedFrame) {
        state.withLock { state in
            if state.frames.isEmpty && !state.isClosed { signal() }
            state.frames.append(frame)
        }
    }

    /// Notes a further session that delivers frames to the queue.
    public func attach() {
        state.withLock { $0.sessions += 1 }
    }

    /// Notes that one of these sessions has ended. The last one closes the queue.
    public func detach() {
        let isLast = state.withLock { state in
            state.sessions -= 1
            return state.sessions == 0
        }
        if isLast { close() }
    }

    /// Closes the queue: no further frame arrives, and stored frames can still be fetched.
    public func close() {
        state.withLock { state in
            if state.frames.isEmpty && !state.isClosed { signal() }
            state.isClosed = true
        }
    }

    /// The number of frames that can be fetched without waiting.
    public var count: Int { state.withLock { $0.frames.count } }

    /// A descriptor that is readable while a frame can be fetched, and once the queue is closed. For waiting only.
    public var fileDescriptor: Int32 { readEnd }

    /// Fetches the oldest frame. `timeout` is the time to wait in seconds: 0 and NaN do not wait, a negative number or
    /// infinity waits without limit. In a handler of a session that delivers to the queue, wait with a limit.
    public func next(timeout: Double) -> Next {
        (try? fetch(timeout: timeout)) ?? .nothingYet
    }

    /// Fetches the oldest frame. Throws ``Status/wouldBlock`` instead of a wait without limit that no frame source can
    /// end.
    package func fetch(timeout: Double) throws(NaluError) -> Next {
        if let found = found() { return found }
        guard timeout < 0 || timeout.isInfinite else { return wait(until: MonotonicClock.seconds + timeout) }
        guard CallbackWaits.begin(forAnyOf: state.withLock { Array($0.supplies.keys) }) else {
            throw NaluError(
                .wouldBlock,
                "the queue is empty, and this callback may not wait without a timeout; set a timeout, call outside the callback, or use a queue of other sessions"
            )
        }
        defer { CallbackWaits.end() }
        return wait(until: nil)
    }

    /// Returns the oldest frame, or the end; nil if no frame has arrived.
    private func found() -> Next? {
        state.withLock { state in
            if let frame = state.frames.popFirst() {
                if state.frames.isEmpty && !state.isClosed { unsignal() }
                return .frame(frame)
            }
            return state.isClosed ? .end : nil
        }
    }

    private func wait(until end: Double?) -> Next {
        while true {
            if let found = found() { return found }
            var milliseconds: Int32 = -1
            if let end {
                let left = end - MonotonicClock.seconds
                guard left > 0 else { return .nothingYet }
                milliseconds = Int32(min((left * 1000).rounded(.up), 1e9))
            }
            var wanted = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            // An interrupted wait is treated like one that ran to its end.
            _ = unsafe poll(&wanted, 1, milliseconds)
        }
    }

    private func signal() {
        var byte: UInt8 = 1
        _ = unsafe write(writeEnd, &byte, 1)
    }

    private func unsignal() {
        var byte: UInt8 = 0
        _ = unsafe read(readEnd, &byte, 1)
    }
}

/// Inside the class, its own method hides the C library's function.
private func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}
