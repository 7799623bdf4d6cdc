internal import Nalu
private import NaluBase
private import NaluLibc

/// A descriptor that becomes readable once, and then stays so. A thread can wait for it and for other descriptors.
final class StopSignal: Sendable {
    /// Readable after ``raise()``.
    let descriptor: Int32
    private let writing: Int32

    /// Throws `.allocationFailed` if the process has no descriptors left.
    init() throws(NaluError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw NaluError(.allocationFailed, "a pair of sockets cannot be created: \(SystemError.text(errno))")
        }
        descriptor = ends[0]
        writing = ends[1]
    }

    deinit {
        _ = close(descriptor)
        _ = close(writing)
    }

    /// Makes the descriptor readable.
    func raise() {
        var byte: UInt8 = 1
        _ = unsafe write(writing, &byte, 1)
    }

    /// Waits until the signal is raised, `other` is readable, or the host time is `nanoseconds`. Returns the event.
    func wait(until nanoseconds: Int64, other: Int32 = -1) -> Event {
        while true {
            var requests = (
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: other, events: Int16(POLLIN), revents: 0)
            )
            // poll waits for whole milliseconds, and nanosleep for the rest.
            let left = max(0, nanoseconds &- MonotonicClock.nanoseconds)
            let milliseconds = Int32(min(left / 1_000_000, 1_000_000_000))
            let count = unsafe withUnsafeMutablePointer(to: &requests) { pair in
                unsafe pair.withMemoryRebound(to: pollfd.self, capacity: 2) { unsafe poll($0, 2, milliseconds) }
            }
            if count > 0 && requests.0.revents != 0 { return .raised }
            if count > 0 && requests.1.revents != 0 { return .other }
            if left == 0 { return .time }
            if milliseconds == 0 {
                var rest = timespec(tv_sec: 0, tv_nsec: Int(left))
                _ = unsafe nanosleep(&rest, nil)
            }
        }
    }

    enum Event {
        case raised, other, time
    }
}
