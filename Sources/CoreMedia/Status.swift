import CoreFoundationTypes
import Foundation

func failure(_ status: OSStatus) -> NSError { NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }

/// Throws an error of `NSOSStatusErrorDomain` unless the call succeeded.
func check(_ status: OSStatus) throws {
    guard status == noErr else { throw failure(status) }
}

/// Returns the object that a function created, or throws the error of its status.
func created<Object>(_ object: Object?, _ status: OSStatus) throws -> Object {
    try check(status)
    guard let object else { throw failure(OSStatus(paramErr)) }
    return object
}

/// Calls a program's function. Returns the status with which C functions report the error that it throws.
func reportedStatus(_ body: () throws -> Void) -> OSStatus {
    do {
        try body()
        return noErr
    } catch {
        let code = OSStatus(truncatingIfNeeded: (error as NSError).code)
        return code == noErr ? OSStatus(paramErr) : code
    }
}
