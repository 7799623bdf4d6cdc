import CoreFoundationTypes
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

/// The status that a function in C reports for an error of a program's function.
func reportedStatus(_ body: () throws -> Void) -> OSStatus {
    do {
        try body()
        return noErr
    } catch {
        let code = OSStatus(truncatingIfNeeded: (error as NSError).code)
        return code == noErr ? OSStatus(paramErr) : code
    }
}
