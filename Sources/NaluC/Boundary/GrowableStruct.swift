internal import NaluBase

/// Reads and writes structs that grow from version to version. Each begins with its size in the client's header.
enum GrowableStruct {
    /// Reads a client's struct over `defaults`. Fields that an older client does not have keep their defaults. Fields
    /// that only a newer client has must be zero. `first` is the size of the struct's first version.
    static func read<Value: BitwiseCopyable>(
        _ pointer: UnsafePointer<Value>?, over defaults: Value, first: Int = MemoryLayout<Value>.size,
        _ name: StaticString
    ) throws(NaluError) -> Value {
        guard let pointer = unsafe pointer else { return defaults }
        let size = Int(unsafe UnsafeRawPointer(pointer).load(as: UInt32.self))
        guard size >= first else {
            throw NaluError(
                .parameter, "\(name).struct_size is \(size); expected at least \(first): use the INIT macro")
        }
        let known = MemoryLayout<Value>.size
        if size > known {
            guard size <= 65536 else {
                throw NaluError(.parameter, "\(name).struct_size is \(size); expected at most 65536")
            }
            let tail = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(pointer) + known, count: size - known)
            guard unsafe tail.allSatisfy({ $0 == 0 }) else {
                throw NaluError(
                    .unsupportedOption, "\(name) sets a field that this version of the library lacks; set it to 0")
            }
        }
        var value = defaults
        unsafe withUnsafeMutableBytes(of: &value) { bytes in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: min(size, known)))
        }
        return value
    }

    /// Checks that a struct to write to exists and has room for its first version, and returns its size.
    static func check<Value: BitwiseCopyable>(
        _ pointer: UnsafeMutablePointer<Value>?, first: Int = MemoryLayout<Value>.size, _ name: StaticString
    ) throws(NaluError) -> Int {
        let pointer = try unsafe required(pointer, name)
        let size = Int(unsafe UnsafeRawPointer(pointer).load(as: UInt32.self))
        guard size >= first else {
            throw NaluError(
                .parameter, "\(name)->struct_size is \(size); expected at least \(first): set it to sizeof(*\(name))")
        }
        return size
    }

    /// Writes as many fields of `value` as the client has room for.
    static func write<Value: BitwiseCopyable>(
        _ value: Value, to pointer: UnsafeMutablePointer<Value>?, first: Int = MemoryLayout<Value>.size,
        _ name: StaticString
    ) throws(NaluError) {
        let size = try unsafe check(pointer, first: first, name)
        let pointer = try unsafe required(pointer, name)
        let count = min(size, MemoryLayout<Value>.size)
        unsafe withUnsafeBytes(of: value) { bytes in
            let target = unsafe UnsafeMutableRawBufferPointer(start: pointer, count: count)
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            unsafe target.storeBytes(of: UInt32(size), as: UInt32.self)
        }
    }
}
