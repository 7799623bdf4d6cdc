import CCoreMedia
import Foundation

func failure(_ status: OSStatus) -> NSError { NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }

/// Throws an error of `NSOSStatusErrorDomain` unless the call succeeded.
func check(_ status: OSStatus) throws {
    guard status == noErr else { throw failure(status) }
}

/// The object that a function created, or an error.
func created<Object>(_ object: Object?, _ status: OSStatus) throws -> Object {
    try check(status)
    guard let object else { throw failure(OSStatus(paramErr)) }
    return object
}
