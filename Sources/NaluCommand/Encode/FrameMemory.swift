/// Memory of one frame, which goes back to its pool with the last reference.
///
/// `@unchecked Sendable`: it is filled by one thread before another one sees it.
@safe
final class FrameMemory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    private let pool: FrameMemoryPool

    init(_ bytes: UnsafeMutableRawBufferPointer, pool: FrameMemoryPool) {
        unsafe self.bytes = bytes
        self.pool = pool
    }

    deinit {
        unsafe pool.giveBack(bytes)
    }
}
