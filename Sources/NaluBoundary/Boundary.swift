// The boundary converts conventions and decides nothing: it checks arguments, borrows handles, calls one function of the
// library, and turns what it throws into a status and the thread's last error, which libnalu keeps for both libraries.

internal import CNalu
package import NaluBase

/// Runs `body`; a throw becomes the thread's last error and its status.
package func attempt(_ body: () throws(NaluError) -> Void) -> Int32 {
    do throws(NaluError) {
        try body()
        return Status.ok.rawValue
    } catch {
        unsafe nalu_set_last_error_message(error.message)
        return error.status.rawValue
    }
}

/// The same for functions that create: the out-pointer is NULL unless everything went well.
package func create(
    _ name: StaticString, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ body: () throws(NaluError) -> AnyObject
) -> Int32 {
    unsafe out?.pointee = nil
    return attempt { () throws(NaluError) in
        let out = try unsafe required(out, name)
        unsafe out.pointee = Handle.owned(try body())
    }
}

package func required<Value>(_ value: Value?, _ name: StaticString) throws(NaluError) -> Value {
    guard let value else {
        throw NaluError(.parameter, "\(name) is NULL; expected an address")
    }
    return value
}

/// A range of client memory; NULL is allowed for an empty one.
package func bytes(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ name: StaticString
) throws(NaluError) -> UnsafeRawBufferPointer {
    guard size >= 0 else {
        throw NaluError(.parameter, "size is \(UInt(bitPattern: size)); expected at most \(Int.max) bytes")
    }
    guard let start = unsafe start else {
        if size == 0 { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        throw NaluError(.parameter, "\(name) is NULL and size is \(size); expected size 0 or an address")
    }
    return unsafe UnsafeRawBufferPointer(start: start, count: size)
}

/// A client's buffer to write to; NULL with capacity 0 has no address and asks for the size alone.
package func room<Element>(
    _ buffer: UnsafeMutablePointer<Element>?, _ capacity: Int, _ name: StaticString = "buffer"
) throws(NaluError) -> UnsafeMutableBufferPointer<Element> {
    guard let buffer = unsafe buffer else {
        if capacity == 0 { return unsafe UnsafeMutableBufferPointer(start: nil, count: 0) }
        throw NaluError(
            .parameter,
            "\(name) is NULL and capacity is \(UInt(bitPattern: capacity)); expected capacity 0 or an address")
    }
    // A capacity beyond Int.max arrives negative, and is more than anything needs.
    return unsafe UnsafeMutableBufferPointer(
        start: buffer, count: capacity < 0 ? Int.max / MemoryLayout<Element>.stride : capacity)
}

/// Reports how many elements a client's buffer needs, and lets `write` fill it when it is large enough.
package func fill<Element>(
    _ buffer: UnsafeMutablePointer<Element>?, _ capacity: Int, _ sizeOut: UnsafeMutablePointer<Int>?,
    name: StaticString = "buffer", sizeName: StaticString = "size_out", needed: Int,
    _ write: (UnsafeMutableBufferPointer<Element>) throws(NaluError) -> Void
) throws(NaluError) {
    let target = try unsafe room(buffer, capacity, name)
    try unsafe required(sizeOut, sizeName).pointee = needed
    if unsafe target.baseAddress == nil { return }
    guard target.count >= needed else {
        throw NaluError(.bufferTooSmall, "capacity is \(capacity); expected at least \(needed)")
    }
    unsafe try write(unsafe UnsafeMutableBufferPointer(rebasing: target[..<needed]))
}

/// Copies text with its terminating NUL.
package func copy(
    _ text: String, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ sizeOut: UnsafeMutablePointer<Int>?
) throws(NaluError) {
    let characters = Array(text.utf8CString)
    try unsafe fill(buffer, capacity, sizeOut, needed: characters.count) { target in
        for (index, character) in characters.enumerated() {
            unsafe target[index] = character
        }
    }
}

/// The bytes of a client's text as they are, also where they are no UTF-8.
package func cBytes(_ text: UnsafePointer<CChar>?, _ name: StaticString) throws(NaluError) -> [UInt8] {
    let text = try unsafe required(text, name)
    var length = 0
    while unsafe text[length] != 0 {
        length += 1
    }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: length))
}

package func cText(_ text: UnsafePointer<CChar>?, _ name: StaticString) throws(NaluError) -> String {
    unsafe String(cString: try required(text, name))
}
