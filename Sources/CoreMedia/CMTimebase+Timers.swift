public import CoreFoundationTypes
public import Dispatch

// The functions of the C header take a `dispatch_source_t`, which Swift has as `OpaquePointer` here. The object
// `DispatchSource` stores that pointer.

extension CMTimebase {
    /// Adds a timer, which the timebase retains. The timer fires at times of the timebase.
    ///
    /// - Throws: `NSError` with a `kCMTimebaseError_…` status, as the functions below do: `InvalidParameter` for a timer
    ///   that `DispatchSource.makeTimerSource` did not make, and for one that was not added.
    public func addTimer<T: DispatchSourceTimer>(_ timer: T) throws {
        try check(CMTimebaseAddTimerDispatchSource(self, timerSource: timer))
    }

    public func removeTimer<T: DispatchSourceTimer>(_ timer: T) throws {
        try check(CMTimebaseRemoveTimerDispatchSource(self, timerSource: timer))
    }

    /// Makes the timer fire once: when the timebase reaches `fireTime`, or immediately if that time has passed.
    public func setTimerNextFireTime<T: DispatchSourceTimer>(_ timer: T, fireTime: CMTime) throws {
        try check(
            CMTimebaseSetTimerDispatchSourceNextFireTime(self, timerSource: timer, fireTime: fireTime, flags: 0))
    }

    public func setTimerToFireImmediately<T: DispatchSourceTimer>(_ timer: T) throws {
        try check(CMTimebaseSetTimerDispatchSourceToFireImmediately(self, timerSource: timer))
    }
}

@discardableResult
public func CMTimebaseAddTimerDispatchSource<T: DispatchSourceTimer>(
    _ timebase: CMTimebase, timerSource: T
) -> OSStatus {
    unsafe with(timerSource) { unsafe CMTimebaseAddTimerDispatchSource(timebase, timerSource: $0) }
}

@discardableResult
public func CMTimebaseRemoveTimerDispatchSource<T: DispatchSourceTimer>(
    _ timebase: CMTimebase, timerSource: T
) -> OSStatus {
    unsafe with(timerSource) { unsafe CMTimebaseRemoveTimerDispatchSource(timebase, timerSource: $0) }
}

@discardableResult
public func CMTimebaseSetTimerDispatchSourceNextFireTime<T: DispatchSourceTimer>(
    _ timebase: CMTimebase, timerSource: T, fireTime: CMTime, flags: UInt32
) -> OSStatus {
    unsafe with(timerSource) {
        unsafe CMTimebaseSetTimerDispatchSourceNextFireTime(
            timebase, timerSource: $0, fireTime: fireTime, flags: flags)
    }
}

@discardableResult
public func CMTimebaseSetTimerDispatchSourceToFireImmediately<T: DispatchSourceTimer>(
    _ timebase: CMTimebase, timerSource: T
) -> OSStatus {
    unsafe with(timerSource) { unsafe CMTimebaseSetTimerDispatchSourceToFireImmediately(timebase, timerSource: $0) }
}

/// Calls a C function with the pointer of a timer.
private func with<T: DispatchSourceTimer>(_ timer: T, _ body: (OpaquePointer) -> OSStatus) -> OSStatus {
    let wrapped = Mirror(reflecting: timer).children.first { $0.label == "__wrapped" }
    guard timer is DispatchSource, let source = unsafe wrapped?.value as? OpaquePointer else {
        return kCMTimebaseError_InvalidParameter
    }
    return withExtendedLifetime(timer) { unsafe body(source) }
}
