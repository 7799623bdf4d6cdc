extension [UInt8] {
    /// Calls `withUnsafeBytes` with a typed throw.
    package func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        unsafe try withUnsafeBufferPointer { (elements) throws(E) in
            unsafe try body(UnsafeRawBufferPointer(elements))
        }
    }

    /// Calls `withUnsafeMutableBytes` with a typed throw.
    mutating func withMutableBytes<R, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        unsafe try withUnsafeMutableBufferPointer { (elements) throws(E) in
            unsafe try body(UnsafeMutableRawBufferPointer(elements))
        }
    }
}
