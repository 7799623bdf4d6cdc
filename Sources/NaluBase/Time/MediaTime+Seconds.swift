// Times to and from floating-point seconds, both correctly rounded.

extension MediaTime {
    /// The time nearest to `seconds` in units of `1 / preferredTimescale`, as CMTimeMakeWithSeconds gives it.
    ///
    /// The timescale is halved until the value fits; a value that does not fit even in whole seconds gives an infinite
    /// time. Halves round away from zero. ``MediaTimeFlags/hasBeenRounded`` is set when ``seconds`` of the result is
    /// not the number given. NaN and a timescale of 0 or less give the invalid time, an infinity the infinite time.
    public init(seconds: Double, preferredTimescale: Int32) {
        guard !seconds.isNaN, preferredTimescale > 0 else {
            self = .invalid
            return
        }
        let overflowed: MediaTime = seconds < 0 ? .negativeInfinity : .positiveInfinity
        var timescale = seconds.isFinite ? preferredTimescale : 0
        while timescale > 0 {
            if let value = Self.nearest(seconds, times: timescale) {
                self.init(value: value, timescale: timescale)
                if self.seconds != seconds {
                    flags.insert(.hasBeenRounded)
                }
                return
            }
            timescale /= 2
        }
        self = overflowed
    }

    /// Seconds as the nearest double; NaN for a time that is invalid or indefinite, else an infinity.
    public var seconds: Double {
        switch kind {
        case .invalid, .indefinite: return .nan
        case .positiveInfinity: return .infinity
        case .negativeInfinity: return -.infinity
        case .numeric: break
        }
        if value.magnitude <= 1 << 53 {
            return Double(value) / Double(timescale)
        }
        // The value itself is no exact double, and dividing what it rounds to would round twice. The quotient is
        // taken with 64 more bits instead, cut to 62 with a sticky last bit, and rounded once by the conversion.
        let (quotient, remainder) = (UInt128(value.magnitude) &<< 64).quotientAndRemainder(
            dividingBy: UInt128(timescale.magnitude)
        )
        let excess = 128 - quotient.leadingZeroBitCount - 62
        let cut = quotient &>> UInt128(excess)
        let isSticky = remainder != 0 || cut &<< UInt128(excess) != quotient
        let rounded = Double(UInt64(truncatingIfNeeded: cut) | (isSticky ? 1 : 0))
        let magnitude = Double(sign: .plus, exponent: excess - 64, significand: rounded)
        return value < 0 ? -magnitude : magnitude
    }

    /// The whole number nearest to the exact product, or nil when it does not fit. `seconds` is finite.
    private static func nearest(_ seconds: Double, times timescale: Int32) -> Int64? {
        guard seconds != 0 else {
            return 0
        }
        // seconds = significand * 2^exponent, exactly; a significand has 53 bits, the product at most 84.
        let isSubnormal = seconds.exponentBitPattern == 0
        let significand = seconds.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
        let exponent = Int(isSubnormal ? 1 : seconds.exponentBitPattern) - 1075
        let product = UInt128(significand) &* UInt128(timescale.magnitude)

        let magnitude: UInt128
        if exponent >= 0 {
            guard exponent < 64, product.leadingZeroBitCount > exponent else {
                return nil
            }
            magnitude = product &<< UInt128(exponent)
        } else if exponent > -100 {
            magnitude = (product &+ (1 &<< UInt128(-exponent - 1))) &>> UInt128(-exponent)
        } else {
            magnitude = 0
        }
        let limit = UInt128(Int64.max) + (seconds < 0 ? 1 : 0)
        guard magnitude <= limit else {
            return nil
        }
        let value = Int64(truncatingIfNeeded: magnitude)
        return seconds < 0 ? 0 &- value : value
    }
}
