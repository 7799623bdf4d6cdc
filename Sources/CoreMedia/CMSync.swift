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
    /// The monotonic clock of this computer, which stops only while the machine sleeps.
    public static var hostTimeClock: CMClock { CMClockGetHostTimeClock() }

    public static func convertHostTimeToSystemUnits(_ hostTime: CMTime) -> UInt64 {
        CMClockConvertHostTimeToSystemUnits(hostTime)
    }
}

/// A protocol that lets a CoreFoundation type have initializers.
public protocol CMTimebaseProtocol {}

extension CMTimebase: CMTimebaseProtocol {}

extension CMTimebaseProtocol where Self == CMTimebase {
    /// Creates a timebase with time 0 and rate 0.
    public init(sourceClock: CMClock) throws {
        var timebase: CMTimebase?
        let status = unsafe CMTimebaseCreateWithSourceClock(
            allocator: nil, sourceClock: sourceClock, timebaseOut: &timebase)
        self = try created(timebase, status)
    }

    public init(sourceTimebase: CMTimebase) throws {
        var timebase: CMTimebase?
        let status = unsafe CMTimebaseCreateWithSourceTimebase(
            allocator: nil, sourceTimebase: sourceTimebase, timebaseOut: &timebase)
        self = try created(timebase, status)
    }
}

extension CMTimebase {
    /// The rate relative to the source.
    public var rate: Double { CMTimebaseGetRate(self) }

    /// The rate relative to the clock at the end of the chain of sources.
    public var effectiveRate: Double { CMTimebaseGetEffectiveRate(self) }

    public func setRate(_ rate: Double) throws { try check(CMTimebaseSetRate(self, rate: rate)) }
    public func setTime(_ time: CMTime) throws { try check(CMTimebaseSetTime(self, time: time)) }

    public func setRate(_ rate: Double, anchorTime: CMTime, immediateSourceTime: CMTime) throws {
        try check(
            CMTimebaseSetRateAndAnchorTime(
                self, rate: rate, anchorTime: anchorTime, immediateSourceTime: immediateSourceTime))
    }
}
