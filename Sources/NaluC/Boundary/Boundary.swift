// The boundary converts conventions and decides nothing. It checks arguments, borrows handles and calls one function of
// the library. A thrown error becomes a status and the thread's last error.

internal import CNalu
internal import NaluBase

/// Runs `body`. If it throws, the error becomes the thread's last error, and its status is returned.
func attempt(_ body: () throws(NaluError) -> Void) -> Int32 {
    do throws(NaluError) {
        try body()
        return Status.ok.rawValue
    } catch {
        LastError.set(error.message)
        return error.status.rawValue
    }
}

/// Runs `body` and stores the object that it creates in `out`, which is NULL after a failure.
func create(
    _ name: StaticString, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ body: () throws(NaluError) -> AnyObject
) -> Int32 {
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

/// A client's function with its refcon.
///
/// `@unchecked Sendable`: the client promises that both may be used from the thread that calls.
@safe
private struct ClientFunction<Function>: @unchecked Sendable {
    let function: Function
    let refcon: UnsafeMutableRawPointer?
}

/// Returns a closure that calls a client's function on any thread; nil if the client has passed no function.
func bound(
    _ function: nalu_refcon_destructor?, _ refcon: UnsafeMutableRawPointer?
) -> (@Sendable () -> Void)? {
    guard let function = unsafe function else { return nil }
    let client = unsafe ClientFunction(function: function, refcon: refcon)
    return { unsafe client.function(client.refcon) }
}

/// Returns a client's function of progress: it receives the completed share, and returns false to cancel. Nil if the client
/// has passed no function.
func bound(
    _ function: nalu_cut_progress_callback?, _ refcon: UnsafeMutableRawPointer?
) -> (@Sendable (Double) -> Bool)? {
    guard let function = unsafe function else { return nil }
    let client = unsafe ClientFunction(function: function, refcon: refcon)
    return { share in unsafe client.function(client.refcon, share) == 0 }
}

/// Returns a range of client memory. NULL is allowed if the range is empty.
func bytes(
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

/// Returns a client's buffer to write to. NULL with capacity 0 becomes a buffer without address, with which only the
/// size is computed.
func room<Element>(
    _ buffer: UnsafeMutablePointer<Element>?, _ capacity: Int, _ name: StaticString = "buffer"
) throws(NaluError) -> UnsafeMutableBufferPointer<Element> {
    guard let buffer = unsafe buffer else {
        if capacity == 0 { return unsafe UnsafeMutableBufferPointer(start: nil, count: 0) }
        throw NaluError(
            .parameter,
            "\(name) is NULL and capacity is \(UInt(bitPattern: capacity)); expected capacity 0 or an address")
    }
    // A capacity beyond Int.max arrives as a negative number. It exceeds every needed size.
    return unsafe UnsafeMutableBufferPointer(
        start: buffer, count: capacity < 0 ? Int.max / MemoryLayout<Element>.stride : capacity)
}

/// Stores the number of elements that a client's buffer needs, and lets `write` fill the buffer if it is large enough.
func fill<Element>(
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

/// Copies text with its terminating NUL to a client's buffer.
func copy(
    _ text: String, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ sizeOut: UnsafeMutablePointer<Int>?
) throws(NaluError) {
    let characters = Array(text.utf8CString)
    try unsafe fill(buffer, capacity, sizeOut, needed: characters.count) { target in
        for (index, character) in characters.enumerated() {
            unsafe target[index] = character
        }
    }
}

/// Returns the bytes of a client's text, even if they are not valid UTF-8.
func cBytes(_ text: UnsafePointer<CChar>?, _ name: StaticString) throws(NaluError) -> [UInt8] {
    let text = try unsafe required(text, name)
    var length = 0
    while unsafe text[length] != 0 {
        length += 1
    }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: length))
}

/// Returns a client's path, whose bytes need not be valid UTF-8.
func cPath(_ path: UnsafePointer<CChar>?, _ name: StaticString) throws(NaluError) -> String {
    unsafe String(path: try required(path, name))
}

func cText(_ text: UnsafePointer<CChar>?, _ name: StaticString) throws(NaluError) -> String {
    unsafe String(cString: try required(text, name))
}
