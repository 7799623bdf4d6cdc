package import CoreFoundation
package import Foundation

/// Returns the same object as another type. Swift's casts do not treat CoreFoundation's classes as Foundation's.
package func view<Object: AnyObject>(_ object: AnyObject, as type: Object.Type = Object.self) -> Object {
    unsafe Unmanaged<Object>.fromOpaque(Unmanaged.passUnretained(object).toOpaque()).takeUnretainedValue()
}

package func viewOrNil<Object: AnyObject>(_ object: AnyObject?) -> Object? { object.map { view($0) } }

/// Returns a CoreFoundation object for a Swift value or a Foundation object. Containers are copied with their contents,
/// so that C functions find no Swift values in them. Any other object is returned unchanged.
package func native(_ value: Any) -> AnyObject {
    if let number = value as? NSNumber { return number }
    if let string = value as? NSString { return string }
    if let data = value as? NSData { return data }
    if let dictionary = value as? NSDictionary { return native(dictionary) }
    if let array = value as? NSArray { return native(array) }
    return value as AnyObject
}

package func native(_ dictionary: NSDictionary) -> CoreFoundation.CFDictionary {
    var keys = kCFTypeDictionaryKeyCallBacks
    var values = kCFTypeDictionaryValueCallBacks
    let result: CoreFoundation.CFMutableDictionary = unsafe CoreFoundation.CFDictionaryCreateMutable(
        nil, 0, &keys, &values)
    for (key, value) in dictionary {
        let (key, value) = (native(key), native(value))
        unsafe CoreFoundation.CFDictionarySetValue(
            result, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
    }
    return result
}

package func nativeOrNil(_ dictionary: NSDictionary?) -> CoreFoundation.CFDictionary? { dictionary.map { native($0) } }

package func native(_ array: NSArray) -> CoreFoundation.CFArray {
    var callbacks = kCFTypeArrayCallBacks
    let result: CoreFoundation.CFMutableArray = unsafe CoreFoundation.CFArrayCreateMutable(nil, 0, &callbacks)
    for element in array {
        let element = native(element)
        unsafe CoreFoundation.CFArrayAppendValue(result, Unmanaged.passUnretained(element).toOpaque())
    }
    return result
}

package func nativeOrNil(_ array: NSArray?) -> CoreFoundation.CFArray? { array.map { native($0) } }

/// Returns an object from C in the form that programs receive. Containers are copied with their contents, without pairs
/// whose key is not a string. Foundation terminates a program that looks for a `String` in a dictionary that
/// CoreFoundation made.
package func given(_ object: AnyObject) -> AnyObject {
    switch CFGetTypeID(object) {
    case CoreFoundation.CFDictionaryGetTypeID():
        let dictionary: CoreFoundation.CFDictionary = view(object)
        let count = CoreFoundation.CFDictionaryGetCount(dictionary)
        var keys = unsafe [UnsafeRawPointer?](repeating: nil, count: count)
        var values = unsafe [UnsafeRawPointer?](repeating: nil, count: count)
        unsafe CoreFoundation.CFDictionaryGetKeysAndValues(dictionary, &keys, &values)
        let result = NSMutableDictionary()
        for index in 0..<count {
            guard let key = unsafe keys[index], let value = unsafe values[index] else { continue }
            let name = unsafe Unmanaged<AnyObject>.fromOpaque(key).takeUnretainedValue()
            guard CFGetTypeID(name) == CFStringGetTypeID() else { continue }
            result[view(name, as: NSString.self)] =
                given(unsafe Unmanaged<AnyObject>.fromOpaque(value).takeUnretainedValue())
        }
        return result
    case CoreFoundation.CFArrayGetTypeID():
        let array: CoreFoundation.CFArray = view(object)
        let result = NSMutableArray()
        for index in 0..<CoreFoundation.CFArrayGetCount(array) {
            guard let value = unsafe CoreFoundation.CFArrayGetValueAtIndex(array, index) else { continue }
            result.add(given(unsafe Unmanaged<AnyObject>.fromOpaque(value).takeUnretainedValue()))
        }
        return result
    default: return object
    }
}

/// Returns an object of CoreMedia or CoreVideo as a value of its own type, and any other object unchanged. Swift on Linux
/// casts such an object only if its static type is known: from `Any` with such a value, but not from `AnyObject`.
package func typed(_ object: AnyObject) -> Any {
    // CoreFoundation cannot name the type of an object that is no NSObject.
    guard object is NSObject else { return object }
    return switch CFGetTypeID(object) {
    case CMSampleBufferGetTypeID(): view(object, as: CMSampleBuffer.self)
    case CVPixelBufferGetTypeID(): view(object, as: CVPixelBuffer.self)
    case CVPixelBufferPoolGetTypeID(): view(object, as: CVPixelBufferPool.self)
    case CMFormatDescriptionGetTypeID(): view(object, as: CMFormatDescription.self)
    case CMBlockBufferGetTypeID(): view(object, as: CMBlockBuffer.self)
    case CMBufferQueueGetTypeID(): view(object, as: CMBufferQueue.self)
    case CMClockGetTypeID(): view(object, as: CMClock.self)
    case CMTimebaseGetTypeID(): view(object, as: CMTimebase.self)
    default: object
    }
}

package func givenOrNil<Object: AnyObject>(_ object: AnyObject?) -> Object? { object.map { view(given($0)) } }

/// Calls a C function that returns an object through a pointer, and stores that object in the program's own pointer.
func receive<Object: AnyObject, Native: AnyObject>(
    _ place: UnsafeMutablePointer<Object?>?, _ body: (UnsafeMutablePointer<Native?>?) -> OSStatus
) -> OSStatus {
    guard let place = unsafe place else { return body(nil) }
    var object: Native?
    let status = unsafe body(&object)
    unsafe place.pointee = givenOrNil(object)
    return status
}
