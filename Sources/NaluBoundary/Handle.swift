package import NaluBase

/// A class whose objects C programs hold. Such classes are final and not generic, so that the class of an object is one
/// known word.
package protocol HandleObject: AnyObject {
    /// What a sentence calls it, for example "a nalu_sample".
    static var handleNoun: StaticString { get }
}

/// The one place where objects become C pointers and come back.
///
/// A handle is the object's own address. What it points to is recognised by the first word of the object, its class,
/// so that a handle of another kind, and most memory that holds no object any more, gives a status.
package enum Handle {
    /// A pointer that carries one reference.
    package static func owned(_ object: AnyObject) -> OpaquePointer {
        unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// A pointer for as long as something else keeps the object.
    package static func lent(_ object: AnyObject?) -> OpaquePointer? {
        unsafe object.map { unsafe OpaquePointer(Unmanaged.passUnretained($0).toOpaque()) }
    }

    /// The object of a handle; nil for NULL and for a pointer to anything else.
    package static func object<Object: HandleObject>(_ handle: OpaquePointer?, _ type: Object.Type = Object.self)
        -> Object?
    {
        guard let handle = unsafe handle, unsafe isObject(handle, type) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    /// The same, with a sentence for what is wrong.
    package static func required<Object: HandleObject>(
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

    package static func retain<Object: HandleObject>(_ handle: OpaquePointer?, _ type: Object.Type) {
        guard let handle = unsafe handle, unsafe isObject(handle, type) else { return }
        _ = unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).retain()
    }

    package static func release<Object: HandleObject>(_ handle: OpaquePointer?, _ type: Object.Type) {
        guard let handle = unsafe handle, unsafe isObject(handle, type) else { return }
        unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
    }

    package static func isObject<Object: HandleObject>(_ handle: OpaquePointer, _ type: Object.Type) -> Bool {
        let address = unsafe UnsafeRawPointer(handle)
        guard UInt(bitPattern: address) & 15 == 0 else { return false }
        return unsafe address.load(as: UInt.self) == unsafeBitCast(type, to: UInt.self)
    }
}
