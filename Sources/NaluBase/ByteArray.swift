extension [UInt8] {
    /// An array of at most `capacity` bytes, filled by `write`, which returns how many it wrote.
    ///
    /// The standard library's initializer stores the count of an empty array too. All threads share that array, so the
    /// store is a race.
    package init(capacity: Int, filledBy write: (UnsafeMutableRawBufferPointer) -> Int) {
        guard capacity > 0 else {
            self = []
            return
        }
        unsafe self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
            unsafe count = write(UnsafeMutableRawBufferPointer(buffer))
        }
    }
}
