private import NaluLibc

/// Keeps what a session delivers until it is fetched, in the same order.
///
/// Give ``receive(_:)`` to a session as its handler, and ``close()`` as what runs when it ends. Several sessions may share a
/// queue: call ``attach()`` for each of them, and have ``detach()`` run when it ends. Several threads may fetch.
public final class OutputQueue: Sendable {
    /// What ``next(timeout:)`` found.
    public enum Next: Sendable {
        case frame(EncodedFrame)
        /// None came in time.
        case nothingYet
        /// None will come.
        case end
    }

    private struct State {
        var frames = RingBuffer<EncodedFrame>(capacity: 64)
        var isClosed = false
        var sessions = 0
    }

    private let state = Guarded(State())
    /// A pair of sockets that holds a byte while there is something to fetch, or the queue is closed: threads and event loops
    /// wait for it alike.
    private let readEnd: Int32
    private let writeEnd: Int32

    /// - Throws: ``Status/allocationFailed`` when the process has no file descriptors left.
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

    /// The session's handler.
    public func receive(_ frame: EncodedFrame) {
        state.withLock { state in
            if state.frames.isEmpty && !state.isClosed { signal() }
            state.frames.append(frame)
        }
    }

    /// One more session gives frames to the queue.
    public func attach() {
        state.withLock { $0.sessions += 1 }
    }

    /// One of them has ended. The last one closes the queue.
    public func detach() {
        let isLast = state.withLock { state in
            state.sessions -= 1
            return state.sessions == 0
        }
        if isLast { close() }
    }

    /// Closes the queue: no further frame comes, and what it holds can still be fetched.
    public func close() {
        state.withLock { state in
            if state.frames.isEmpty && !state.isClosed { signal() }
            state.isClosed = true
        }
    }

    /// How many frames can be fetched without waiting.
    public var count: Int { state.withLock { $0.frames.count } }

    /// Readable while there is something to fetch, and once the queue is closed. For waiting only.
    public var fileDescriptor: Int32 { readEnd }

    /// Fetches the oldest frame. `timeout`: seconds to wait for one; 0 and NaN do not wait, a negative number or infinity
    /// waits without limit.
    public func next(timeout: Double) -> Next {
        let end = timeout < 0 || timeout.isInfinite ? nil : MonotonicClock.seconds + timeout
        while true {
            let found = state.withLock { state in
                if let frame = state.frames.popFirst() {
                    if state.frames.isEmpty && !state.isClosed { unsignal() }
                    return Next.frame(frame)
                }
                return state.isClosed ? .end : .nothingYet
            }
            guard case .nothingYet = found else { return found }
            var milliseconds: Int32 = -1
            if let end {
                let left = end - MonotonicClock.seconds
                guard left > 0 else { return .nothingYet }
                milliseconds = Int32(min((left * 1000).rounded(.up), 1e9))
            }
            var wanted = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            // An interrupted wait is looked at like one that came to its end.
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

/// Inside the class its own method hides the C library's function.
private func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}
