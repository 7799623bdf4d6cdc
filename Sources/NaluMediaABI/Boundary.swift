// The boundary converts conventions and decides nothing: it checks arguments, borrows handles, calls one function of the
// engine, and turns what it throws into a status and the thread's last error, which libnalu keeps.

internal import CNalu
internal import NaluBase
internal import NaluMediaEngine

func attempt(_ body: () throws(NaluError) -> Void) -> nalu_status {
    do throws(NaluError) {
        try body()
        return nalu_status(NALU_STATUS_OK)
    } catch {
        unsafe nalu_set_last_error_message(error.message)
        return error.status.rawValue
    }
}

/// The same for functions that create: the out-pointer is NULL unless everything went well.
func create(
    _ name: StaticString, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ body: () throws(NaluError) -> AnyObject
) -> nalu_status {
    unsafe out?.pointee = nil
    return attempt { () throws(NaluError) in
        let out = try unsafe required(out, name)
        unsafe out.pointee = Handle.owned(try body())
    }
}

func required<Value>(_ value: Value?, _ name: StaticString) throws(NaluError) -> Value {
    guard let value else {
        throw NaluError(.parameter, "\(name) is NULL; expected an address")
    }
    return value
}

/// A client's text; nil for NULL.
func cText(_ text: UnsafePointer<CChar>?) -> String? {
    unsafe text.map { unsafe String(cString: $0) }
}

/// A client's struct over `defaults`: what an older client does not have keeps its default; what a newer one has beyond
/// this library must be zero.
func grown<Value: BitwiseCopyable>(
    _ pointer: UnsafePointer<Value>?, over defaults: Value, first: Int, _ name: StaticString
) throws(NaluError) -> Value {
    guard let pointer = unsafe pointer else { return defaults }
    let size = Int(unsafe UnsafeRawPointer(pointer).load(as: UInt32.self))
    guard size >= first else {
        throw NaluError(
            .parameter,
            "\(name).struct_size is \(size); expected at least \(first): start from the INIT macro")
    }
    let known = MemoryLayout<Value>.size
    if size > known {
        guard size <= 65536 else {
            throw NaluError(.parameter, "\(name).struct_size is \(size); expected at most 65536")
        }
        let tail = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(pointer) + known, count: size - known)
        guard unsafe tail.allSatisfy({ $0 == 0 }) else {
            throw NaluError(
                .unsupportedOption, "\(name) sets a field that this version of the library does not know")
        }
    }
    var value = defaults
    unsafe withUnsafeMutableBytes(of: &value) { bytes in
        unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: min(size, known)))
    }
    return value
}

/// Copies text with its terminating NUL; the size needed is told in any case. NULL with capacity 0 asks for it alone.
func copy(
    _ text: String, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ sizeOut: UnsafeMutablePointer<Int>?
) throws(NaluError) {
    let sizeOut = try unsafe required(sizeOut, "size_out")
    let characters = Array(text.utf8CString)
    unsafe sizeOut.pointee = characters.count
    guard let buffer = unsafe buffer else {
        if capacity == 0 { return }
        throw NaluError(
            .parameter,
            "buffer is NULL and capacity is \(UInt(bitPattern: capacity)); expected capacity 0 or an address")
    }
    // A capacity beyond Int.max arrives negative, and is more than anything needs.
    guard capacity < 0 || capacity >= characters.count else {
        throw NaluError(
            .bufferTooSmall, "capacity is \(capacity); \(characters.count) is needed")
    }
    for (index, character) in characters.enumerated() {
        unsafe buffer[index] = character
    }
}

/// Writes as many fields of `value` as the client's struct has room for.
func write<Value: BitwiseCopyable>(
    _ value: Value, to pointer: UnsafeMutablePointer<Value>?, first: Int, _ name: StaticString
) throws(NaluError) {
    let pointer = try unsafe required(pointer, name)
    let size = Int(unsafe UnsafeRawPointer(pointer).load(as: UInt32.self))
    guard size >= first else {
        throw NaluError(
            .parameter,
            "\(name)->struct_size is \(size); expected at least \(first): set it to sizeof(*\(name))")
    }
    let count = min(size, MemoryLayout<Value>.size)
    unsafe withUnsafeBytes(of: value) { bytes in
        let target = unsafe UnsafeMutableRawBufferPointer(start: pointer, count: count)
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        unsafe target.storeBytes(of: UInt32(size), as: UInt32.self)
    }
}
