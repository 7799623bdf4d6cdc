import CoreFoundation
public import Foundation

// On a Mac, `as` converts Swift values to CoreFoundation classes, and those to Foundation classes. Swift on Linux
// converts values only to Foundation classes, but their objects are CoreFoundation objects too. So each pair of classes
// is one type here. `dictionary as CFDictionary`, `30 as CFNumber` and `key as String` mean the same as on a Mac.

/// A CoreFoundation string, which is the same type as Foundation's.
public typealias CFString = NSString
/// A mutable string.
public typealias CFMutableString = NSMutableString
/// A CoreFoundation number, which is the same type as Foundation's.
public typealias CFNumber = NSNumber
/// A CoreFoundation boolean, which is a Foundation number.
public typealias CFBoolean = NSNumber
/// CoreFoundation data, which is the same type as Foundation's.
public typealias CFData = NSData
/// Mutable data.
public typealias CFMutableData = NSMutableData
/// A CoreFoundation array, which is the same type as Foundation's.
public typealias CFArray = NSArray
/// A mutable array.
public typealias CFMutableArray = NSMutableArray
/// A CoreFoundation dictionary, which is the same type as Foundation's.
public typealias CFDictionary = NSDictionary
/// A mutable dictionary.
public typealias CFMutableDictionary = NSMutableDictionary
/// A CoreFoundation URL, which is the same type as Foundation's.
public typealias CFURL = NSURL

/// The boolean object for true.
public var kCFBooleanTrue: CFBoolean! { view(CoreFoundation.kCFBooleanTrue) }
/// The boolean object for false.
public var kCFBooleanFalse: CFBoolean! { view(CoreFoundation.kCFBooleanFalse) }
