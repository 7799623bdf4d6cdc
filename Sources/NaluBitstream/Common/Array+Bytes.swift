extension [UInt8] {
    /// `withUnsafeBytes` with the error type kept.
    package func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        unsafe try withUnsafeBufferPointer { (elements) throws(E) in
            unsafe try body(UnsafeRawBufferPointer(elements))
        }
    }

    /// `withUnsafeMutableBytes` with the error type kept.
    mutating func withMutableBytes<R, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        unsafe try withUnsafeMutableBufferPointer { (elements) throws(E) in
            unsafe try body(UnsafeMutableRawBufferPointer(elements))
        }
    }
}
