import CoreFoundation
public import Foundation

// CoreFoundation's functions for the types of Types.swift. Creators take pointers that are not nil, which Swift prefers to
// CoreFoundation's own.

/// The number of elements.
public func CFArrayGetCount(_ theArray: CFArray) -> CFIndex { CoreFoundation.CFArrayGetCount(view(theArray)) }
/// The element at an index.
public func CFArrayGetValueAtIndex(_ theArray: CFArray, _ idx: CFIndex) -> UnsafeRawPointer! {
    unsafe CoreFoundation.CFArrayGetValueAtIndex(view(theArray), idx)
}
/// Adds an element at the end.
public func CFArrayAppendValue(_ theArray: CFMutableArray, _ value: UnsafeRawPointer!) {
    unsafe CoreFoundation.CFArrayAppendValue(view(theArray), value)
}
/// An empty array that can be changed.
public func CFArrayCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ callBacks: UnsafePointer<CFArrayCallBacks>
) -> CFMutableArray! {
    viewOrNil(unsafe CoreFoundation.CFArrayCreateMutable(allocator, capacity, callBacks))
}

/// The number of pairs.
public func CFDictionaryGetCount(_ theDict: CFDictionary) -> CFIndex {
    CoreFoundation.CFDictionaryGetCount(view(theDict))
}
/// The value of a key, or nil.
public func CFDictionaryGetValue(_ theDict: CFDictionary, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
    unsafe CoreFoundation.CFDictionaryGetValue(view(theDict), key)
}
/// Whether there is a value of a key, and which.
public func CFDictionaryGetValueIfPresent(
    _ theDict: CFDictionary, _ key: UnsafeRawPointer!, _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Bool {
    unsafe CoreFoundation.CFDictionaryGetValueIfPresent(view(theDict), key, value)
}
/// Whether there is a value of a key.
public func CFDictionaryContainsKey(_ theDict: CFDictionary, _ key: UnsafeRawPointer!) -> Bool {
    unsafe CoreFoundation.CFDictionaryContainsKey(view(theDict), key)
}
/// All keys and values, in the same order.
public func CFDictionaryGetKeysAndValues(
    _ theDict: CFDictionary, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>!,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>!
) {
    unsafe CoreFoundation.CFDictionaryGetKeysAndValues(view(theDict), keys, values)
}
/// Adds a pair unless its key is there.
public func CFDictionaryAddValue(
    _ theDict: CFMutableDictionary, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    unsafe CoreFoundation.CFDictionaryAddValue(view(theDict), key, value)
}
/// Adds a pair, or replaces the value.
public func CFDictionarySetValue(
    _ theDict: CFMutableDictionary, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    unsafe CoreFoundation.CFDictionarySetValue(view(theDict), key, value)
}
/// Removes a pair.
public func CFDictionaryRemoveValue(_ theDict: CFMutableDictionary, _ key: UnsafeRawPointer!) {
    unsafe CoreFoundation.CFDictionaryRemoveValue(view(theDict), key)
}
/// Removes all pairs.
public func CFDictionaryRemoveAllValues(_ theDict: CFMutableDictionary) {
    CoreFoundation.CFDictionaryRemoveAllValues(view(theDict))
}
/// A dictionary of keys and values.
public func CFDictionaryCreate(
    _ allocator: CFAllocator!, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>, _ numValues: CFIndex,
    _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>, _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>
) -> CFDictionary! {
    viewOrNil(
        unsafe CoreFoundation.CFDictionaryCreate(allocator, keys, values, numValues, keyCallBacks, valueCallBacks))
}
/// An empty dictionary that can be changed.
public func CFDictionaryCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>
) -> CFMutableDictionary! {
    viewOrNil(unsafe CoreFoundation.CFDictionaryCreateMutable(allocator, capacity, keyCallBacks, valueCallBacks))
}

/// A number of the type that a pointer is to.
public func CFNumberCreate(
    _ allocator: CFAllocator!, _ theType: CFNumberType, _ valuePtr: UnsafeRawPointer
) -> CFNumber! {
    viewOrNil(unsafe CoreFoundation.CFNumberCreate(allocator, theType, valuePtr))
}
/// The number as another type, and whether that is exact.
@discardableResult
public func CFNumberGetValue(
    _ number: CFNumber, _ theType: CFNumberType, _ valuePtr: UnsafeMutableRawPointer!
) -> Bool {
    unsafe CoreFoundation.CFNumberGetValue(view(number), theType, valuePtr)
}
/// Whether the number is stored as a floating-point type.
public func CFNumberIsFloatType(_ number: CFNumber) -> Bool { CoreFoundation.CFNumberIsFloatType(view(number)) }
/// The value of a truth value.
public func CFBooleanGetValue(_ boolean: CFBoolean) -> Bool { boolean.boolValue }

/// Bytes that are copied.
public func CFDataCreate(
    _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>, _ length: CFIndex
) -> CFData! {
    viewOrNil(unsafe CoreFoundation.CFDataCreate(allocator, bytes, length))
}
/// The number of bytes.
public func CFDataGetLength(_ theData: CFData) -> CFIndex { theData.length }
/// The bytes, which are valid as long as the object.
public func CFDataGetBytePtr(_ theData: CFData) -> UnsafePointer<UInt8>! {
    unsafe CoreFoundation.CFDataGetBytePtr(view(theData))
}

/// The number of UTF-16 units.
public func CFStringGetLength(_ theString: CFString) -> CFIndex { theString.length }
