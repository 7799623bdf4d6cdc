/// Memory that is kept from one use to the next and only ever grows.
struct ScratchMemory: ~Copyable {
    private var memory: PixelMemory?
    private var capacity = 0

    init() {}

    deinit {
        unsafe memory?.release()
    }

    /// At least `byteCount` bytes, aligned to 64, valid until the next call; their contents are undefined.
    ///
    /// `.allocationFailed`; what was there before is gone then, too.
    mutating func reserve(_ byteCount: Int) throws(NaluError) -> UnsafeMutableRawPointer {
        if let memory, capacity >= byteCount { return unsafe memory.baseAddress }
        unsafe memory?.release()
        memory = nil
        let larger = try PixelMemory(byteCount: byteCount)
        memory = larger
        capacity = byteCount
        return unsafe larger.baseAddress
    }
}
