internal import NaluBase

/// A class whose objects C programs hold. Such a class must be final and not generic: the first word of an object then
/// identifies its class.
protocol HandleObject: AnyObject {
    /// The type's name in error messages, for example "a nalu_sample".
    static var handleNoun: StaticString { get }
}

/// Converts objects to C pointers and back. No other code does so.
///
/// A handle is the address of the object. It is recognised by the first word of the object, its class. A handle of
/// another kind, and most memory that no longer contains an object, therefore causes an error status.
enum Handle {
    /// Returns a pointer that owns one reference.
    static func owned(_ object: AnyObject) -> OpaquePointer {
        unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// Returns a pointer without a reference. It is valid while something else retains the object.
    static func lent(_ object: AnyObject?) -> OpaquePointer? {
        unsafe object.map { unsafe OpaquePointer(Unmanaged.passUnretained($0).toOpaque()) }
    }

    /// Returns the object of a handle; nil for NULL and for a pointer to anything else.
    static func object<Object: HandleObject>(_ handle: OpaquePointer?, _ type: Object.Type = Object.self)
        -> Object?
    {
        guard let handle = unsafe handle, unsafe isObject(handle, type) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    /// Returns the object of a handle. Throws an error that names the argument if there is none.
    static func required<Object: HandleObject>(
        _ handle: OpaquePointer?, _ name: StaticString, _ type: Object.Type = Object.self
    ) throws(NaluError) -> Object {
        guard unsafe handle != nil else {
            throw NaluError(.parameter, "\(name) is NULL; expected \(Object.handleNoun)")
        }
        guard let object = unsafe object(handle, type) else {
            let address = String(UInt(bitPattern: handle), radix: 16)
            throw NaluError(.invalidHandle, "\(name) is 0x\(address); expected \(Object.handleNoun) that is alive")
        }
        return object
    }

    static func retain<Object: HandleObject>(_ handle: OpaquePointer?, _ type: Object.Type) {
        guard let handle = unsafe handle, unsafe isObject(handle, type) else { return }
        _ = unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).retain()
    }

    static func release<Object: HandleObject>(_ handle: OpaquePointer?, _ type: Object.Type) {
        guard let handle = unsafe handle, unsafe isObject(handle, type) else { return }
        unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
    }

    static func isObject<Object: HandleObject>(_ handle: OpaquePointer, _ type: Object.Type) -> Bool {
        let address = unsafe UnsafeRawPointer(handle)
        guard UInt(bitPattern: address) & 15 == 0 else { return false }
        return unsafe address.load(as: UInt.self) == unsafeBitCast(type, to: UInt.self)
    }
}
