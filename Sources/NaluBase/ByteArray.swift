extension [UInt8] {
    /// Creates an array of at most `capacity` bytes. `write` fills it and returns the number of bytes that it wrote.
    ///
    /// The standard library's initializer also stores the count of an empty array. All threads share the empty array,
    /// so that this store is a race.
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

extension RangeReplaceableCollection<UInt8> {
    /// Appends at most `capacity` bytes. `read` writes them and returns their number, or a negative number if it fails; the
    /// function returns the same.
    package mutating func append(capacity: Int, filledBy read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        var result = 0
        unsafe self += [UInt8](capacity: capacity) { room in
            unsafe result = read(room)
            return Swift.max(0, result)
        }
        return result
    }
}
