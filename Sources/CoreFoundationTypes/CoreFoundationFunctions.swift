import CoreFoundation
public import Foundation

// CoreFoundation's functions for the types in Types.swift. The pointers that creators take are not optional. Swift
// therefore prefers these functions to CoreFoundation's own.

/// Returns the number of elements.
public func CFArrayGetCount(_ theArray: CFArray) -> CFIndex { CoreFoundation.CFArrayGetCount(view(theArray)) }
/// Returns the element at an index.
public func CFArrayGetValueAtIndex(_ theArray: CFArray, _ idx: CFIndex) -> UnsafeRawPointer! {
    unsafe CoreFoundation.CFArrayGetValueAtIndex(view(theArray), idx)
}
/// Appends an element.
public func CFArrayAppendValue(_ theArray: CFMutableArray, _ value: UnsafeRawPointer!) {
    unsafe CoreFoundation.CFArrayAppendValue(view(theArray), value)
}
/// Creates an empty mutable array.
public func CFArrayCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ callBacks: UnsafePointer<CFArrayCallBacks>
) -> CFMutableArray! {
    viewOrNil(unsafe CoreFoundation.CFArrayCreateMutable(allocator, capacity, callBacks))
}

/// Returns the number of pairs.
public func CFDictionaryGetCount(_ theDict: CFDictionary) -> CFIndex {
    CoreFoundation.CFDictionaryGetCount(view(theDict))
}
/// Returns the value of a key, or nil.
public func CFDictionaryGetValue(_ theDict: CFDictionary, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
    unsafe CoreFoundation.CFDictionaryGetValue(view(theDict), key)
}
/// Returns true if the key has a value, and stores the value.
public func CFDictionaryGetValueIfPresent(
    _ theDict: CFDictionary, _ key: UnsafeRawPointer!, _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Bool {
    unsafe CoreFoundation.CFDictionaryGetValueIfPresent(view(theDict), key, value)
}
/// Returns true if the key has a value.
public func CFDictionaryContainsKey(_ theDict: CFDictionary, _ key: UnsafeRawPointer!) -> Bool {
    unsafe CoreFoundation.CFDictionaryContainsKey(view(theDict), key)
}
/// Stores all keys and values, in the same order.
public func CFDictionaryGetKeysAndValues(
    _ theDict: CFDictionary, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>!,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>!
) {
    unsafe CoreFoundation.CFDictionaryGetKeysAndValues(view(theDict), keys, values)
}
/// Adds a pair. Does nothing if the key has a value already.
public func CFDictionaryAddValue(
    _ theDict: CFMutableDictionary, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    unsafe CoreFoundation.CFDictionaryAddValue(view(theDict), key, value)
}
/// Adds a pair, or replaces the value of its key.
public func CFDictionarySetValue(
    _ theDict: CFMutableDictionary, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    unsafe CoreFoundation.CFDictionarySetValue(view(theDict), key, value)
}
/// Removes a key and its value.
public func CFDictionaryRemoveValue(_ theDict: CFMutableDictionary, _ key: UnsafeRawPointer!) {
    unsafe CoreFoundation.CFDictionaryRemoveValue(view(theDict), key)
}
/// Removes all pairs.
public func CFDictionaryRemoveAllValues(_ theDict: CFMutableDictionary) {
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
    _ number: CFNumber, _ theType: CFNumberType, _ valuePtr: UnsafeMutableRawPointer!
) -> Bool {
    unsafe CoreFoundation.CFNumberGetValue(view(number), theType, valuePtr)
}
/// Returns true if the number is stored as a floating-point type.
public func CFNumberIsFloatType(_ number: CFNumber) -> Bool { CoreFoundation.CFNumberIsFloatType(view(number)) }
/// Returns the value of a boolean object.
public func CFBooleanGetValue(_ boolean: CFBoolean) -> Bool { boolean.boolValue }

/// Creates data with a copy of the bytes.
public func CFDataCreate(
    _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>, _ length: CFIndex
) -> CFData! {
    viewOrNil(unsafe CoreFoundation.CFDataCreate(allocator, bytes, length))
}
/// Returns the number of bytes.
public func CFDataGetLength(_ theData: CFData) -> CFIndex { theData.length }
/// Returns a pointer to the bytes, which is valid as long as the object lives.
public func CFDataGetBytePtr(_ theData: CFData) -> UnsafePointer<UInt8>! {
    unsafe CoreFoundation.CFDataGetBytePtr(view(theData))
}

/// Returns the length in UTF-16 code units.
public func CFStringGetLength(_ theString: CFString) -> CFIndex { theString.length }
