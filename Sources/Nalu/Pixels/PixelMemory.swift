private import NaluLibc

/// Memory for pixels, aligned to 64 bytes. Its owner must call ``release()``, once.
@safe
struct PixelMemory {
    private let base: UnsafeMutableRawPointer

    static let alignment = 64

    /// Throws `.allocationFailed` if the system has no such block.
    init(byteCount: Int) throws(NaluError) {
        var memory: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&memory, Self.alignment, max(byteCount, 1)) == 0, let memory = unsafe memory else {
            throw NaluError(.allocationFailed, "\(byteCount) bytes for pixels could not be allocated")
        }
        unsafe base = memory
    }

    var baseAddress: UnsafeMutableRawPointer { unsafe base }

    /// Frees the memory. Call it once; nothing may use the memory afterwards.
    @unsafe
    func release() {
        unsafe free(base)
    }
}

/// `@unchecked Sendable`: this is only an address. The owner of the block decides what happens to the memory.
extension PixelMemory: @unchecked Sendable {}

extension PixelMemory {
    /// Returns a size rounded up to the alignment.
    static func aligned(_ byteCount: Int) -> Int {
        (byteCount + alignment - 1) & ~(alignment - 1)
    }
}
