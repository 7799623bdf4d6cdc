internal import CX264

/// Converts presentation times to x264's ticks, which grow strictly.
///
/// x264 uses only the differences of ticks. A gap is cut to a second, or to the duration that x264 can fill with filler
/// data. If a frame lasted longer than x264's buffer, row rate control would ruin the picture.
struct TickClock {
    private enum Unit {
        /// A frame, whatever its time.
        case frame
        /// Ticks of presentation time; the value is their number per second.
        case time(Int32)
        /// The frames of a constant rate. A presentation time is rounded to the nearest frame.
        case frames(perSecond: Double)
    }

    private let unit: Unit
    /// The longest duration of a picture, in ticks.
    private let longest: Int64
    /// x264's own limit of a duration (MIN_FRAME_DURATION), in ticks.
    private let shortest: Int64
    private var lastTime: MediaTime?
    private var last: Int64 = -1
    /// The distance of the last frame's time from its tick, in frames.
    private var remainder = 0.0

    /// Creates a clock. `parameters` are those of the open encoder.
    init(_ parameters: x264_param_t, _ setup: EncoderSetup) {
        let ticksPerSecond: Double
        if unsafe parameters.b_vfr_input == 0 {
            unit = .frame
            ticksPerSecond = Double(setup.ticksPerSecond)
        } else if X264Parameters.ticksAreFrames(setup.configuration) {
            ticksPerSecond = unsafe Double(parameters.i_timebase_den) / Double(max(1, parameters.i_timebase_num))
            unit = .frames(perSecond: ticksPerSecond)
        } else {
            unit = .time(setup.ticksPerSecond)
            ticksPerSecond = Double(setup.ticksPerSecond)
        }
        shortest = max(1, Int64(0.01 * ticksPerSecond))
        longest = unsafe X264Parameters.longestPicture(parameters, ticksPerSecond: ticksPerSecond)
    }

    /// Returns the tick of the next frame.
    ///
    /// - Parameter isLimited: whether the frames have a bit rate or limits, which depend on all durations. Without them,
    ///   a picture lasts at least ``shortest``: x264 gives a picture no more bits than its level allows for the
    ///   duration (ITU-T H.264 A.3.1, MinCR), which would ruin the picture before one that follows too early.
    mutating func next(_ time: MediaTime, isLimited: Bool) -> Int64 {
        last += advance(to: time, atLeast: isLimited ? 1 : shortest)
        lastTime = time
        return last
    }

    private mutating func advance(to time: MediaTime, atLeast least: Int64) -> Int64 {
        guard let lastTime else { return 1 }
        switch unit {
        case .frame:
            return 1
        case .time(let perSecond):
            let difference = (time - lastTime).converted(toTimescale: perSecond)
            return difference.isNumeric ? min(max(difference.value, least), longest) : least
        case .frames(let perSecond):
            let exact = (time - lastTime).seconds * perSecond + remainder
            guard exact.isFinite else { return 1 }
            let frames = min(max(exact.rounded(), 1), Double(longest))
            remainder = min(max(exact - frames, -1), 1)
            return Int64(frames)
        }
    }
}
