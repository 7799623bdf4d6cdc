/// The one check that every function writing into a caller's buffer makes.
enum BufferSize {
    /// Throws `.bufferTooSmall` when `needed` bytes do not fit.
    static func check(needed: Int, capacity: Int) throws(NaluError) {
        guard needed <= capacity else {
            throw NaluError(.bufferTooSmall, "capacity is \(capacity) bytes; expected at least \(needed)")
        }
    }
}
