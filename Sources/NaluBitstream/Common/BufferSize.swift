/// The size check of every function that writes into a caller's buffer.
enum BufferSize {
    /// Throws `.bufferTooSmall` if `needed` exceeds `capacity`, both in bytes.
    static func check(needed: Int, capacity: Int) throws(NaluError) {
        guard needed <= capacity else {
            throw NaluError(.bufferTooSmall, "capacity is \(capacity) bytes; expected at least \(needed)")
        }
    }
}
