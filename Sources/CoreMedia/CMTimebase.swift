public import CoreFoundationTypes

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
    public static var typeID: CFTypeID { CMTimebaseGetTypeID() }

    /// The source: a clock or a timebase. Setting a source that depends on this timebase has no effect.
    public var source: any CMSyncProtocol {
        get { sourceTimebase ?? sourceClock ?? CMClockGetHostTimeClock() }
        set {
            if CFGetTypeID(newValue) == CMTimebase.typeID {
                CMTimebaseSetSourceTimebase(self, view(newValue))
            } else {
                CMTimebaseSetSourceClock(self, view(newValue))
            }
        }
    }

    public var sourceClock: CMClock? { CMTimebaseCopySourceClock(self) }
    public var sourceTimebase: CMTimebase? { CMTimebaseCopySourceTimebase(self) }

    /// The clock at the end of the chain of sources.
    public var ultimateSourceClock: CMClock { CMTimebaseCopyUltimateSourceClock(self) ?? CMClockGetHostTimeClock() }

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

    public func setRateAndAnchorTime(rate: Double, anchorTime: CMTime, referenceTime: CMTime) throws {
        try setRate(rate, anchorTime: anchorTime, immediateSourceTime: referenceTime)
    }

    public func setAnchorTime(_ anchorTime: CMTime, referenceTime: CMTime) throws {
        try check(CMTimebaseSetAnchorTime(self, timebaseTime: anchorTime, immediateSourceTime: referenceTime))
    }

    public func time(withTimescale timescale: CMTimeScale, rounding: CMTimeRoundingMethod = .default) -> CMTime {
        CMTimebaseGetTimeWithTimeScale(self, timescale: timescale, method: rounding)
    }

    /// The time and the rate at the same moment.
    public var timeAndRate: (time: CMTime, rate: Double) {
        var (time, rate) = (CMTime.invalid, 0.0)
        unsafe CMTimebaseGetTimeAndRate(self, timeOut: &time, rateOut: &rate)
        return (time, rate)
    }
}
