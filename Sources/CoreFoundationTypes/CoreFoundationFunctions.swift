import CoreFoundation
public import Foundation

// CoreFoundation's functions for the types in Types.swift. Objects are implicitly unwrapped, as on a Mac. Programs pass
// the optional results of other functions, such as CMSampleBufferGetSampleAttachmentsArray. For nil, these functions
// return 0, nil or false, or do nothing. The pointers that creators take are not optional. Swift therefore prefers these
// functions to CoreFoundation's own.

/// Returns the number of elements.
public func CFArrayGetCount(_ theArray: CFArray!) -> CFIndex {
    guard let theArray else { return 0 }
    return CoreFoundation.CFArrayGetCount(view(theArray))
}
/// Returns the element at an index; nil if there is none.
public func CFArrayGetValueAtIndex(_ theArray: CFArray!, _ idx: CFIndex) -> UnsafeRawPointer! {
    guard let theArray, 0..<CFArrayGetCount(theArray) ~= idx else { return nil }
    return unsafe CoreFoundation.CFArrayGetValueAtIndex(view(theArray), idx)
}
/// Appends an element.
public func CFArrayAppendValue(_ theArray: CFMutableArray!, _ value: UnsafeRawPointer!) {
    guard let theArray else { return }
    unsafe CoreFoundation.CFArrayAppendValue(view(theArray), value)
}
/// Creates an empty mutable array.
public func CFArrayCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ callBacks: UnsafePointer<CFArrayCallBacks>
) -> CFMutableArray! {
    viewOrNil(unsafe CoreFoundation.CFArrayCreateMutable(allocator, capacity, callBacks))
}

/// Returns the number of pairs.
public func CFDictionaryGetCount(_ theDict: CFDictionary!) -> CFIndex {
    guard let theDict else { return 0 }
    return CoreFoundation.CFDictionaryGetCount(view(theDict))
}
/// Returns the value of a key, or nil.
public func CFDictionaryGetValue(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
    guard let theDict else { return nil }
    return unsafe CoreFoundation.CFDictionaryGetValue(view(theDict), key)
}
/// Returns true if the key has a value, and stores the value.
public func CFDictionaryGetValueIfPresent(
    _ theDict: CFDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Bool {
    guard let theDict else { return false }
    return unsafe CoreFoundation.CFDictionaryGetValueIfPresent(view(theDict), key, value)
}
/// Returns true if the key has a value.
public func CFDictionaryContainsKey(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> Bool {
    guard let theDict else { return false }
    return unsafe CoreFoundation.CFDictionaryContainsKey(view(theDict), key)
}
/// Stores all keys and values, in the same order.
public func CFDictionaryGetKeysAndValues(
    _ theDict: CFDictionary!, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>!,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>!
) {
    guard let theDict else { return }
    unsafe CoreFoundation.CFDictionaryGetKeysAndValues(view(theDict), keys, values)
}
/// Adds a pair. Does nothing if the key has a value already.
public func CFDictionaryAddValue(
    _ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    guard let theDict else { return }
    unsafe CoreFoundation.CFDictionaryAddValue(view(theDict), key, value)
}
/// Adds a pair, or replaces the value of its key.
public func CFDictionarySetValue(
    _ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    guard let theDict else { return }
    unsafe CoreFoundation.CFDictionarySetValue(view(theDict), key, value)
}
/// Removes a key and its value.
public func CFDictionaryRemoveValue(_ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!) {
    guard let theDict else { return }
    unsafe CoreFoundation.CFDictionaryRemoveValue(view(theDict), key)
}
/// Removes all pairs.
public func CFDictionaryRemoveAllValues(_ theDict: CFMutableDictionary!) {
    guard let theDict else { return }
    CoreFoundation.CFDictionaryRemoveAllValues(view(theDict))
}
/// Creates a dictionary of keys and values.
public func CFDictionaryCreate(
    _ allocator: CFAllocator!, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>, _ numValues: CFIndex,
    _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>, _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>
) -> CFDictionary! {
    viewOrNil(
        unsafe CoreFoundation.CFDictionaryCreate(allocator, keys, values, numValues, keyCallBacks, valueCallBacks))
}
/// Creates an empty mutable dictionary.
public func CFDictionaryCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>
) -> CFMutableDictionary! {
    viewOrNil(unsafe CoreFoundation.CFDictionaryCreateMutable(allocator, capacity, keyCallBacks, valueCallBacks))
}

/// Creates a number. `theType` is the type that `valuePtr` points to.
public func CFNumberCreate(
    _ allocator: CFAllocator!, _ theType: CFNumberType, _ valuePtr: UnsafeRawPointer
) -> CFNumber! {
    viewOrNil(unsafe CoreFoundation.CFNumberCreate(allocator, theType, valuePtr))
}
/// Converts the number to another type. Returns true if the conversion is exact.
@discardableResult
public func CFNumberGetValue(
    _ number: CFNumber!, _ theType: CFNumberType, _ valuePtr: UnsafeMutableRawPointer!
) -> Bool {
    guard let number else { return false }
    return unsafe CoreFoundation.CFNumberGetValue(view(number), theType, valuePtr)
}
/// Returns true if the number is stored as a floating-point type.
public func CFNumberIsFloatType(_ number: CFNumber!) -> Bool {
    guard let number else { return false }
    return CoreFoundation.CFNumberIsFloatType(view(number))
}
/// Returns the value of a boolean object.
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean?.boolValue ?? false }

/// Creates data with a copy of the bytes.
public func CFDataCreate(
    _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>, _ length: CFIndex
) -> CFData! {
    viewOrNil(unsafe CoreFoundation.CFDataCreate(allocator, bytes, length))
}
/// Returns the number of bytes.
public func CFDataGetLength(_ theData: CFData!) -> CFIndex { theData?.length ?? 0 }
/// Returns a pointer to the bytes, which is valid as long as the object lives.
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
    guard let theData else { return nil }
    return unsafe CoreFoundation.CFDataGetBytePtr(view(theData))
}

/// Returns the length in UTF-16 code units.
public func CFStringGetLength(_ theString: CFString!) -> CFIndex { theString?.length ?? 0 }
