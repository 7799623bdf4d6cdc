// time.h: nalu_time and MediaTime are the same 24 bytes.

public import CNalu
internal import Nalu

extension MediaTime {
    init(_ time: nalu_time) {
        self.init(
            value: time.value, timescale: time.timescale, flags: MediaTimeFlags(rawValue: time.flags), epoch: time.epoch
        )
    }

    var cTime: nalu_time {
        nalu_time(value: value, timescale: timescale, flags: flags.rawValue, epoch: epoch)
    }
}

@c @implementation
public func nalu_time_make(_ value: Int64, _ timescale: Int32) -> nalu_time {
    MediaTime(value: value, timescale: timescale).cTime
}

@c @implementation
public func nalu_time_make_with_seconds(_ seconds: Double, _ preferred_timescale: Int32) -> nalu_time {
    MediaTime(seconds: seconds, preferredTimescale: preferred_timescale).cTime
}

@c @implementation
public func nalu_time_make_with_seconds_rounding(
    _ seconds: Double, _ preferred_timescale: Int32, _ rounding: Int32
) -> nalu_time {
    guard let rounding = MediaTime.Rounding(rawValue: rounding) else { return MediaTime.invalid.cTime }
    return MediaTime(seconds: seconds, preferredTimescale: preferred_timescale, rounding: rounding).cTime
}

@c @implementation
public func nalu_time_invalid() -> nalu_time {
    MediaTime.invalid.cTime
}

@c @implementation
public func nalu_time_indefinite() -> nalu_time {
    MediaTime.indefinite.cTime
}

@c @implementation
public func nalu_time_zero() -> nalu_time {
    MediaTime.zero.cTime
}

@c @implementation
public func nalu_time_is_numeric(_ time: nalu_time) -> Int32 {
    MediaTime(time).isNumeric ? 1 : 0
}

@c @implementation
public func nalu_time_get_seconds(_ time: nalu_time) -> Double {
    MediaTime(time).seconds
}

@c @implementation
public func nalu_time_add(_ a: nalu_time, _ b: nalu_time) -> nalu_time {
    (MediaTime(a) + MediaTime(b)).cTime
}

@c @implementation
public func nalu_time_subtract(_ a: nalu_time, _ b: nalu_time) -> nalu_time {
    (MediaTime(a) - MediaTime(b)).cTime
}

@c @implementation
public func nalu_time_compare(_ a: nalu_time, _ b: nalu_time) -> Int32 {
    let (a, b) = (MediaTime(a), MediaTime(b))
    return a < b ? -1 : b < a ? 1 : 0
}

@c @implementation
public func nalu_time_convert_scale(_ time: nalu_time, _ timescale: Int32) -> nalu_time {
    MediaTime(time).converted(toTimescale: timescale).cTime
}

@c @implementation
public func nalu_time_convert_scale_rounding(_ time: nalu_time, _ timescale: Int32, _ rounding: Int32) -> nalu_time {
    guard let rounding = MediaTime.Rounding(rawValue: rounding) else { return MediaTime.invalid.cTime }
    return MediaTime(time).converted(toTimescale: timescale, rounding: rounding).cTime
}
