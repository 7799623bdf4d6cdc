import CoreFoundationTypes
import Foundation

/// Returns the Swift value for a CoreFoundation object, or the object itself if there is no such value.
func swiftValue(_ object: CFTypeRef) -> Any {
    switch CFGetTypeID(object) {
    case CFBooleanGetTypeID(): return view(object, as: NSNumber.self).boolValue
    case CFNumberGetTypeID(): return number(view(object))
    case CFStringGetTypeID(): return string(view(object))
    case CFDataGetTypeID(): return Data(referencing: view(object, as: NSData.self))
    case CFArrayGetTypeID(): return view(object, as: NSArray.self).map { swiftValue($0 as AnyObject) }
    case CFDictionaryGetTypeID(): return dictionary(view(object))
    default: return object
    }
}

func string(_ string: CFString) -> String { String(describing: string) }

private func number(_ number: CFNumber) -> Any {
    CFNumberIsFloatType(number) ? number.doubleValue : number.intValue
}

/// Returns the pairs whose keys are strings, as Swift values.
func dictionary(_ dictionary: CFDictionary) -> [String: Any] {
    var result: [String: Any] = [:]
    for (key, value) in dictionary {
        if let key = key as? NSString { result[string(key)] = swiftValue(value as AnyObject) }
    }
    return result
}

/// Returns the value of a key in a dictionary that C functions made.
func getValue(_ key: CFString, of dictionary: CFDictionary) -> CFTypeRef? {
    guard let value = unsafe CFDictionaryGetValue(dictionary, Unmanaged.passUnretained(key).toOpaque()) else {
        return nil
    }
    return unsafe Unmanaged<AnyObject>.fromOpaque(value).takeUnretainedValue()
}

func setValue(_ value: CFTypeRef, forKey key: CFString, in dictionary: CFMutableDictionary) {
    unsafe CFDictionarySetValue(
        dictionary, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
}
