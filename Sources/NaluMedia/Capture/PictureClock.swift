/// Makes the times of a camera's pictures increase on the host clock. Cameras and drivers repeat times, go back, or use
/// another clock, for single pictures or for all of them.
///
/// A time that the device states is used if it is on the host clock and after the previous picture's. Otherwise the
/// picture has the time of its arrival, less the time from capture to arrival of the last picture with a usable time, so
/// that it keeps its place among the others.
struct PictureClock {
    /// A picture's time in nanoseconds, and whether it takes the place of a wrong one.
    struct Reading {
        let time: Int64
        /// Whether the device stated another time. False for a device without a usable time until now.
        let isRepaired: Bool
    }

    /// The time of the last picture; nil before the first one.
    private var last: Int64?
    /// The time from the capture to the arrival of the last picture whose stated time was usable; nil if there was none.
    private var lastDelay: Int64?

    /// The age in nanoseconds from which on a time cannot be on the host clock.
    private static let oldest: Int64 = 5_000_000_000
    /// The least time between pictures in nanoseconds, so that they differ in a stream with microseconds too.
    private static let step: Int64 = 1000

    /// Returns the time of the next picture.
    ///
    /// - Parameters:
    ///   - stated: the device's time in nanoseconds; nil if it states none.
    ///   - arrival: the host time of the picture's arrival in nanoseconds.
    mutating func time(stated: Int64?, arrival: Int64) -> Reading {
        let least = last.map { $0 + Self.step } ?? Int64.min
        if let stated, stated > arrival - Self.oldest, stated <= arrival, stated >= least {
            lastDelay = arrival - stated
            last = stated
            return Reading(time: stated, isRepaired: false)
        }
        let time = max(arrival - (lastDelay ?? 0), least)
        last = time
        return Reading(time: time, isRepaired: stated != nil && lastDelay != nil)
    }
}
