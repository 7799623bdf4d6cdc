import CoreFoundation
public import Foundation

// On a Mac, `as` converts Swift's values into CoreFoundation's classes, and these into Foundation's. Swift on Linux converts
// values into Foundation's classes only, but their objects are CoreFoundation's all the same. So both have one type here, and
// `dictionary as CFDictionary`, `30 as CFNumber`, `key as String` mean what they mean on a Mac.

/// A string of CoreFoundation, which is one of Foundation.
public typealias CFString = NSString
/// A string that can be changed.
public typealias CFMutableString = NSMutableString
/// A number of CoreFoundation, which is one of Foundation.
public typealias CFNumber = NSNumber
/// A truth value of CoreFoundation, which is a number of Foundation.
public typealias CFBoolean = NSNumber
/// Bytes of CoreFoundation, which are data of Foundation.
public typealias CFData = NSData
/// Bytes that can be changed.
public typealias CFMutableData = NSMutableData
/// An array of CoreFoundation, which is one of Foundation.
public typealias CFArray = NSArray
/// An array that can be changed.
public typealias CFMutableArray = NSMutableArray
/// A dictionary of CoreFoundation, which is one of Foundation.
public typealias CFDictionary = NSDictionary
/// A dictionary that can be changed.
public typealias CFMutableDictionary = NSMutableDictionary
/// A URL of CoreFoundation, which is one of Foundation.
public typealias CFURL = NSURL

/// The value true, as an object.
public var kCFBooleanTrue: CFBoolean! { view(CoreFoundation.kCFBooleanTrue) }
/// The value false, as an object.
public var kCFBooleanFalse: CFBoolean! { view(CoreFoundation.kCFBooleanFalse) }
