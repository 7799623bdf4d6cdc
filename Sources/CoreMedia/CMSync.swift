public import CoreFoundationTypes

/// A clock or a timebase.
public protocol CMSyncProtocol: AnyObject {}

extension CMClock: CMSyncProtocol {}
extension CMTimebase: CMSyncProtocol {}

extension CMSyncProtocol {
    public var time: CMTime { CMSyncGetTime(self) }

    /// Returns the time of another clock or timebase at the moment when this one has `time`.
    public func convertTime(_ time: CMTime, to other: any CMSyncProtocol) -> CMTime {
        CMSyncConvertTime(time, from: self, to: other)
    }

    /// Returns how many seconds of this clock or timebase pass during one second of `other`.
    public func rate(relativeTo other: any CMSyncProtocol) -> Double { CMSyncGetRelativeRate(self, relativeTo: other) }

    public func mightDrift(relativeTo other: any CMSyncProtocol) -> Bool { CMSyncMightDrift(self, other) }
}

extension CMClock {
    public static var typeID: CFTypeID { CMClockGetTypeID() }

    /// The monotonic clock of this computer, which stops only while the machine sleeps.
    public static var hostTimeClock: CMClock { CMClockGetHostTimeClock() }

    public static func convertHostTimeToSystemUnits(_ hostTime: CMTime) -> UInt64 {
        CMClockConvertHostTimeToSystemUnits(hostTime)
    }

    public static func convertSystemUnitsToHostTime(_ systemUnits: UInt64) -> CMTime {
        CMClockMakeHostTimeFromSystemUnits(systemUnits)
    }

    /// Returns a time of the clock, and the time of its reference clock at the same moment.
    public func anchorTime() throws -> (anchorTime: CMTime, referenceTime: CMTime) {
        var (anchor, reference) = (CMTime.invalid, CMTime.invalid)
        try check(unsafe CMClockGetAnchorTime(self, clockTimeOut: &anchor, referenceClockTimeOut: &reference))
        return (anchor, reference)
    }

    public func invalidate() { CMClockInvalidate(self) }
}
