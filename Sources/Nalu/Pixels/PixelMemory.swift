private import NaluLibc

/// Memory for pixels, aligned to 64 bytes. Whoever holds it owns it and gives it back with ``release()``, once.
@safe
struct PixelMemory {
    private let base: UnsafeMutableRawPointer

    static let alignment = 64

    /// `.allocationFailed`: the system has no such block.
    init(byteCount: Int) throws(NaluError) {
        var memory: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&memory, Self.alignment, max(byteCount, 1)) == 0, let memory = unsafe memory else {
            throw NaluError(.allocationFailed, "\(byteCount) bytes for pixels could not be allocated")
        }
        unsafe base = memory
    }

    var baseAddress: UnsafeMutableRawPointer { unsafe base }

    /// Nothing may use the memory afterwards; to be called once.
    @unsafe
    func release() {
        unsafe free(base)
    }
}

/// An address alone: who owns the block decides what happens to it.
extension PixelMemory: @unchecked Sendable {}

extension PixelMemory {
    /// A size rounded up to the alignment.
    static func aligned(_ byteCount: Int) -> Int {
        (byteCount + alignment - 1) & ~(alignment - 1)
    }
}
