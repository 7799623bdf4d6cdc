internal import CNalu
internal import NaluBase
internal import NaluMediaEngine

/// The one place where objects become C pointers and come back, as in libnalu: a handle is the object's own address, and
/// is recognised by the first word of the object, its class.
enum Handle {
    /// A pointer that carries one reference.
    static func owned(_ object: AnyObject) -> OpaquePointer {
        unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// The object of a handle, with a sentence for what is wrong.
    static func required<Object: AnyObject>(
        _ handle: OpaquePointer?, _ name: StaticString, _ type: Object.Type = Object.self
    ) throws(NaluError) -> Object {
        guard let handle = unsafe handle else {
            throw NaluError(.parameter, "\(name) is NULL; expected \(noun(type))")
        }
        guard unsafe isObject(handle, type) else {
            let address = String(UInt(bitPattern: handle), radix: 16)
            throw NaluError(
                .invalidHandle, "\(name) is 0x\(address); expected \(noun(type)) that is alive")
        }
        return unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    private static func noun<Object: AnyObject>(_ type: Object.Type) -> StaticString {
        switch ObjectIdentifier(type) {
        case ObjectIdentifier(Writer.self): "a nalu_writer"
        case ObjectIdentifier(Reader.self): "a nalu_reader"
        case ObjectIdentifier(DecompressionSession.self): "a nalu_decompression_session"
        default: "an object"
        }
    }

    /// The object of a handle, if it is one.
    static func object<Object: AnyObject>(_ handle: OpaquePointer?, _ type: Object.Type) -> Object? {
        guard let handle = unsafe handle, unsafe isObject(handle, type) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    static func retain<Object: AnyObject>(_ handle: OpaquePointer?, _ type: Object.Type) {
        guard let handle = unsafe handle, unsafe isObject(handle, type) else { return }
        _ = unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).retain()
    }

    static func release<Object: AnyObject>(_ handle: OpaquePointer?, _ type: Object.Type) {
        guard let handle = unsafe handle, unsafe isObject(handle, type) else { return }
        unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
    }

    /// All handle classes are final and not generic, so that the class of an object is one known word.
    private static func isObject<Object: AnyObject>(_ handle: OpaquePointer, _ type: Object.Type) -> Bool {
        let address = unsafe UnsafeRawPointer(handle)
        guard UInt(bitPattern: address) & 15 == 0 else { return false }
        return unsafe address.load(as: UInt.self) == unsafeBitCast(type, to: UInt.self)
    }
}
