internal import CNalu
internal import Nalu

/// The one place where objects become C pointers and come back.
///
/// A handle is the object's own address. What it points to is recognised by the first word of the object, its class,
/// so that a handle of another kind, and most memory that holds no object any more, gives a status.
enum Handle {
    /// A pointer that carries one reference.
    static func owned(_ object: AnyObject) -> OpaquePointer {
        unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// A pointer for as long as something else keeps the object.
    static func lent(_ object: AnyObject?) -> OpaquePointer? {
        unsafe object.map { unsafe OpaquePointer(Unmanaged.passUnretained($0).toOpaque()) }
    }

    /// The object of a handle; nil for NULL and for a pointer to anything else.
    static func object<Object: AnyObject>(_ handle: OpaquePointer?, _ type: Object.Type = Object.self) -> Object? {
        guard let handle = unsafe handle, unsafe isObject(handle, type) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    /// The same, with a sentence for what is wrong.
    static func required<Object: AnyObject>(
        _ handle: OpaquePointer?, _ name: StaticString, _ type: Object.Type = Object.self
    ) throws(NaluError) -> Object {
        guard unsafe handle != nil else {
            throw NaluError(.parameter, "\(name) is NULL; expected \(noun(type))")
        }
        guard let object = unsafe object(handle, type) else {
            let address = String(UInt(bitPattern: handle), radix: 16)
            throw NaluError(.invalidHandle, "\(name) is 0x\(address); expected \(noun(type)) that is alive")
        }
        return object
    }

    private static func noun<Object: AnyObject>(_ type: Object.Type) -> StaticString {
        switch ObjectIdentifier(type) {
        case ObjectIdentifier(CompressionSession.self): "a nalu_compression_session"
        case ObjectIdentifier(PixelBuffer.self): "a nalu_pixel_buffer"
        case ObjectIdentifier(PixelBufferPool.self): "a nalu_pixel_buffer_pool"
        case ObjectIdentifier(Sample.self): "a nalu_sample"
        case ObjectIdentifier(FormatDescription.self): "a nalu_format_description"
        case ObjectIdentifier(OutputQueue.self): "a nalu_output_queue"
        case ObjectIdentifier(MultiPassStorage.self): "a nalu_multi_pass_storage"
        case ObjectIdentifier(StreamParser.self): "a nalu_stream_parser"
        case ObjectIdentifier(LossDetector.self): "a nalu_loss_detector"
        default: "an object"
        }
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
