private import NaluBase
private import NaluLibc

/// A pool of memory blocks for frames.
///
/// `@unchecked Sendable`: the list is touched only under its lock.
@safe
final class FrameMemoryPool: Sendable {
    @safe
    private struct Free: @unchecked Sendable {
        var list: [UnsafeMutableRawBufferPointer] = unsafe []
    }

    private let byteCount: Int
    private let free = Guarded(Free())

    init(byteCount: Int) {
        self.byteCount = byteCount
    }

    deinit {
        let memories = unsafe free.withLock { unsafe $0.list }
        unsafe memories.forEach { unsafe Glibc.free($0.baseAddress) }
    }

    func take() throws(Failure) -> FrameMemory {
        if let memory = unsafe free.withLock({ unsafe $0.list.popLast() }) {
            return unsafe FrameMemory(memory, pool: self)
        }
        var address: UnsafeMutableRawPointer?
        let status = unsafe posix_memalign(&address, 64, max(byteCount, 64))
        guard status == 0, let address = unsafe address else {
            throw Failure.system("cannot get \(byteCount) bytes for a frame", status)
        }
        return unsafe FrameMemory(UnsafeMutableRawBufferPointer(start: address, count: byteCount), pool: self)
    }

    func recycle(_ memory: UnsafeMutableRawBufferPointer) {
        free.withLock { unsafe $0.list.append(memory) }
    }
}

/// The memory of one frame. Its last reference returns the memory to the pool.
///
/// `@unchecked Sendable`: one thread fills the memory before another thread sees it.
@safe
final class FrameMemory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    private let pool: FrameMemoryPool

    init(_ bytes: UnsafeMutableRawBufferPointer, pool: FrameMemoryPool) {
        unsafe self.bytes = bytes
        self.pool = pool
    }

    deinit {
        unsafe pool.recycle(bytes)
    }
}
