// For programs whose files import CoreFoundation next to VideoToolbox, CoreMedia or CoreVideo: copy this file into each
// of their targets. On Linux, the names below have two meanings: one in the toolchain's CoreFoundation, one in these
// modules. The declarations of a target take precedence in all of its files.
import CoreFoundationTypes
public import Foundation

public typealias CFString = NSString
public typealias CFMutableString = NSMutableString
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
public typealias CFData = NSData
public typealias CFMutableData = NSMutableData
public typealias CFArray = NSArray
public typealias CFMutableArray = NSMutableArray
public typealias CFDictionary = NSDictionary
public typealias CFMutableDictionary = NSMutableDictionary
public typealias CFURL = NSURL

public var kCFBooleanTrue: CFBoolean! { CoreFoundationTypes.kCFBooleanTrue }
public var kCFBooleanFalse: CFBoolean! { CoreFoundationTypes.kCFBooleanFalse }
