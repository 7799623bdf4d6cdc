internal import CFFmpeg
internal import Nalu

/// The unit of a track's times in seconds: numerator / denominator.
struct TimeBase {
    let numerator: Int64
    let denominator: Int32

    init(_ base: AVRational) {
        if base.num > 0 && base.den > 0 {
            let divisor = TrackClock.divisor(Int64(base.num), Int64(base.den))
            numerator = Int64(base.num) / divisor
            denominator = Int32(Int64(base.den) / divisor)
        } else {
            (numerator, denominator) = (1, 1000)
        }
    }

    /// Returns the exact time; invalid if FFmpeg has no time, or if no clock can represent it.
    func time(_ value: Int64) -> MediaTime {
        let (product, overflow) = value.multipliedReportingOverflow(by: numerator)
        // FFmpeg adds and subtracts times without checking for overflow.
        guard value != Packet.noTime, !overflow, product.magnitude <= 1 << 61 else { return MediaTime.invalid }
        return MediaTime(value: product, timescale: denominator)
    }

    /// Returns the time in units, rounded down; nil if it is not numeric or too large.
    func units(_ time: MediaTime) -> Int64? {
        guard time.isNumeric else { return nil }
        let product = Int128(time.value) * Int128(denominator)
        let unit = Int128(time.timescale) * Int128(numerator)
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: unit)
        guard let units = Int64(exactly: remainder < 0 ? quotient - 1 : quotient), units.magnitude <= 1 << 61 else {
            return nil
        }
        return units
    }

    /// Returns the number of units in `seconds`, at least 1.
    func units(seconds: Int64) -> Int64 {
        max(1, Int64(clamping: Int128(seconds) * Int128(denominator) / Int128(numerator)))
    }
}
