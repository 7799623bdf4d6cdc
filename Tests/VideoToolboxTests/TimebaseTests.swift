import Foundation
import Testing
import VideoToolbox

/// Timebases and clocks with the members of a Mac.
struct TimebaseTests {
    @Test(.timeLimit(.minutes(2))) func timersFireAtTimesOfTheTimebase() async throws {
        let timebase = try CMTimebase(sourceClock: .hostTimeClock)
        let timer: any DispatchSourceTimer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
        let (fired, continuation) = AsyncStream.makeStream(of: Double.self)
        timer.setEventHandler { continuation.yield(timebase.time.seconds) }
        timer.schedule(deadline: .distantFuture)
        timer.resume()
        #expect(throws: NSError.self) { try timebase.setTimerNextFireTime(timer, fireTime: .zero) }
        try timebase.addTimer(timer)
        try timebase.setTimerNextFireTime(timer, fireTime: CMTime(value: 1000, timescale: 1))
        try timebase.setTime(CMTime(value: 999, timescale: 1))
        try timebase.setRate(50)
        var times = fired.makeAsyncIterator()
        #expect(try #require(await times.next()) >= 1000)
        try timebase.setRate(0)
        try timebase.setTimerToFireImmediately(timer)
        _ = await times.next()
        try timebase.removeTimer(timer)
        #expect(throws: NSError.self) { try timebase.removeTimer(timer) }
        timer.cancel()
    }

    @Test func sourcesAreReadAndChanged() throws {
        let timebase = try CMTimebase(sourceClock: .hostTimeClock)
        let follower = try CMTimebase(sourceTimebase: timebase)
        #expect(follower.sourceTimebase === timebase && follower.sourceClock == nil && follower.source === timebase)
        #expect(follower.ultimateSourceClock === CMClock.hostTimeClock)
        follower.source = CMClock.hostTimeClock
        #expect(follower.sourceClock === CMClock.hostTimeClock && follower.sourceTimebase == nil)
        timebase.source = timebase
        #expect(timebase.source === CMClock.hostTimeClock)
        let second = CMTime(value: 1, timescale: 1)
        try timebase.setAnchorTime(second, referenceTime: CMClock.hostTimeClock.time)
        #expect(timebase.time(withTimescale: 600).value == 600 && timebase.timeAndRate.time == second)
        try timebase.setRateAndAnchorTime(rate: 2, anchorTime: second, referenceTime: CMClock.hostTimeClock.time)
        #expect(timebase.timeAndRate.rate == 2 && timebase.timeAndRate.time >= second)
        #expect(CFGetTypeID(timebase) == CMTimebase.typeID && CFGetTypeID(CMClock.hostTimeClock) == CMClock.typeID)
        let anchor = try CMClock.hostTimeClock.anchorTime()
        #expect(anchor.anchorTime == anchor.referenceTime)
        #expect(CMClock.convertSystemUnitsToHostTime(CMClock.convertHostTimeToSystemUnits(second)) == second)
    }
}
