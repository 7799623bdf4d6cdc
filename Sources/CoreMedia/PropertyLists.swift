import CCoreMedia
import Foundation

// Swift on Linux does not bridge CoreFoundation's objects to Swift's values.

/// The same object as another type, which its `CFTypeID` has shown: Swift's own casts do not know CoreFoundation's classes.
private func view<Object: AnyObject>(_ object: CFTypeRef, as type: Object.Type) -> Object {
    unsafe Unmanaged<Object>.fromOpaque(Unmanaged.passUnretained(object).toOpaque()).takeUnretainedValue()
}

/// A Swift value for an object of CoreFoundation; the object itself where there is none.
func swiftValue(_ object: CFTypeRef) -> Any {
    switch CFGetTypeID(object) {
    case CFBooleanGetTypeID(): return CFBooleanGetValue(view(object, as: CFBoolean.self))
    case CFNumberGetTypeID(): return number(view(object, as: CFNumber.self))
    case CFStringGetTypeID(): return string(view(object, as: CFString.self))
    case CFDataGetTypeID(): return data(view(object, as: CFData.self))
    case CFArrayGetTypeID(): return array(view(object, as: CFArray.self))
    case CFDictionaryGetTypeID(): return dictionary(view(object, as: CFDictionary.self))
    default: return object
    }
}

/// An object of CoreFoundation for a Swift value; the value itself where it is an object; nil for a value without one.
func coreFoundationObject(_ value: Any) -> CFTypeRef? {
    switch value {
    case let value as Bool: return value ? kCFBooleanTrue : kCFBooleanFalse
    case let value as any BinaryInteger:
        var number = Int64(clamping: value)
        return unsafe CFNumberCreate(nil, .sInt64Type, &number)
    case let value as any BinaryFloatingPoint:
        var number = Double(value)
        return unsafe CFNumberCreate(nil, .float64Type, &number)
    case let value as String: return coreFoundationString(value)
    case let value as Data:
        return unsafe value.withUnsafeBytes { bytes in
            unsafe CFDataCreate(nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
    case let value as [Any]:
        var callbacks = kCFTypeArrayCallBacks
        let array = unsafe CFArrayCreateMutable(nil, 0, &callbacks)
        for element in value {
            guard let object = coreFoundationObject(element) else { return nil }
            unsafe CFArrayAppendValue(array, Unmanaged.passUnretained(object).toOpaque())
        }
        return array
    case let value as [String: Any]:
        let dictionary = makeDictionary()
        for (key, element) in value {
            guard let object = coreFoundationObject(element) else { return nil }
            setValue(object, forKey: coreFoundationString(key), in: dictionary)
        }
        return dictionary
    case let value as NSNumber: return view(value, as: CFNumber.self)
    default: return value as AnyObject
    }
}

func coreFoundationString(_ text: String) -> CFString {
    view(NSString(string: text), as: CFString.self)
}

func makeDictionary() -> CFMutableDictionary {
    var keys = kCFTypeDictionaryKeyCallBacks
    var values = kCFTypeDictionaryValueCallBacks
    return unsafe CFDictionaryCreateMutable(nil, 0, &keys, &values)
}

func setValue(_ value: CFTypeRef, forKey key: CFString, in dictionary: CFMutableDictionary) {
    unsafe CFDictionarySetValue(
        dictionary, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
}

func getValue(_ key: CFString, of dictionary: CFDictionary) -> CFTypeRef? {
    guard let value = unsafe CFDictionaryGetValue(dictionary, Unmanaged.passUnretained(key).toOpaque()) else {
        return nil
    }
    return unsafe Unmanaged<AnyObject>.fromOpaque(value).takeUnretainedValue()
}

func string(_ string: CFString) -> String { String(describing: view(string, as: NSString.self)) }

private func number(_ number: CFNumber) -> Any {
    var integer: Int = 0
    var float = 0.0
    if !CFNumberIsFloatType(number), unsafe CFNumberGetValue(number, .longType, &integer) { return integer }
    _ = unsafe CFNumberGetValue(number, .float64Type, &float)
    return float
}

private func data(_ data: CFData) -> Data {
    guard let bytes = unsafe CFDataGetBytePtr(data) else { return Data() }
    return unsafe Data(bytes: bytes, count: CFDataGetLength(data))
}

private func array(_ array: CFArray) -> [Any] {
    (0..<CFArrayGetCount(array)).compactMap { index in
        guard let value = unsafe CFArrayGetValueAtIndex(array, index) else { return nil }
        return swiftValue(unsafe Unmanaged<AnyObject>.fromOpaque(value).takeUnretainedValue())
    }
}

/// The pairs whose keys are strings.
func dictionary(_ dictionary: CFDictionary) -> [String: Any] {
    let count = CFDictionaryGetCount(dictionary)
    var keys = unsafe [UnsafeRawPointer?](repeating: nil, count: count)
    var values = unsafe [UnsafeRawPointer?](repeating: nil, count: count)
    unsafe CFDictionaryGetKeysAndValues(dictionary, &keys, &values)
    var result: [String: Any] = [:]
    for index in 0..<count {
        guard let key = unsafe keys[index], let value = unsafe values[index] else { continue }
        let object = unsafe Unmanaged<AnyObject>.fromOpaque(key).takeUnretainedValue()
        guard CFGetTypeID(object) == CFStringGetTypeID() else { continue }
        let name = string(view(object, as: CFString.self))
        result[name] = swiftValue(unsafe Unmanaged<AnyObject>.fromOpaque(value).takeUnretainedValue())
    }
    return result
}
