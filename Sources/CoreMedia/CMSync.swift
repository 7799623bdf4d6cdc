public import CoreFoundationTypes

/// What clocks and timebases have in common.
public protocol CMSyncProtocol: AnyObject {}

extension CMClock: CMSyncProtocol {}
extension CMTimebase: CMSyncProtocol {}

extension CMSyncProtocol {
    public var time: CMTime { CMSyncGetTime(self) }

    /// The time of another clock or timebase when this one has `time`.
    public func convertTime(_ time: CMTime, to other: any CMSyncProtocol) -> CMTime {
        CMSyncConvertTime(time, from: self, to: other)
    }

    /// Seconds of this one in a second of the other.
    public func rate(relativeTo other: any CMSyncProtocol) -> Double { CMSyncGetRelativeRate(self, relativeTo: other) }

    public func mightDrift(relativeTo other: any CMSyncProtocol) -> Bool { CMSyncMightDrift(self, other) }
}

extension CMClock {
    /// The clock of this computer, which never stops.
    public static var hostTimeClock: CMClock { CMClockGetHostTimeClock() }

    public static func convertHostTimeToSystemUnits(_ hostTime: CMTime) -> UInt64 {
        CMClockConvertHostTimeToSystemUnits(hostTime)
    }
}

/// Lets a CoreFoundation type have initializers.
public protocol CMTimebaseProtocol {}

extension CMTimebase: CMTimebaseProtocol {}

extension CMTimebaseProtocol where Self == CMTimebase {
    /// A timebase at time 0 with rate 0.
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
    /// Relative to the source.
    public var rate: Double { CMTimebaseGetRate(self) }

    /// Relative to the clock at the end of the chain of sources.
    public var effectiveRate: Double { CMTimebaseGetEffectiveRate(self) }

    public func setRate(_ rate: Double) throws { try check(CMTimebaseSetRate(self, rate: rate)) }
    public func setTime(_ time: CMTime) throws { try check(CMTimebaseSetTime(self, time: time)) }

    public func setRate(_ rate: Double, anchorTime: CMTime, immediateSourceTime: CMTime) throws {
        try check(
            CMTimebaseSetRateAndAnchorTime(
                self, rate: rate, anchorTime: anchorTime, immediateSourceTime: immediateSourceTime))
    }
}
