// Conversions between times and floating-point seconds. Both directions are correctly rounded.

extension MediaTime {
    /// Creates the time of `seconds` in units of `1 / preferredTimescale`: the nearest one, by default.
    ///
    /// With another rounding, seconds times timescale is computed in double precision and then rounded.
    /// CMTimeMakeWithSeconds rounds toward zero: 0.1 s at timescale 15 is 1 there, and 2 by default.
    ///
    /// The timescale is halved until the value fits. A value that does not fit even in whole seconds results in an
    /// infinite time. Halves round away from zero. ``MediaTimeFlags/hasBeenRounded`` is set if ``seconds`` of the
    /// result differs from the argument. NaN and a timescale of 0 or less result in the invalid time, and an infinity
    /// in an infinite time.
    public init(seconds: Double, preferredTimescale: Int32, rounding: Rounding = .halfAwayFromZero) {
        guard !seconds.isNaN, preferredTimescale > 0 else {
            self = .invalid
            return
        }
        let overflowed: MediaTime = seconds < 0 ? .negativeInfinity : .positiveInfinity
        var timescale = seconds.isFinite ? preferredTimescale : 0
        while timescale > 0 {
            if let value = Self.product(seconds, timescale, rounding) {
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

    /// The time in seconds as the nearest double: NaN for an invalid or indefinite time, an infinity for an infinite
    /// time.
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
        // The value itself is not exact as a double, and dividing the rounded double would round twice. The quotient is
        // therefore computed with 64 more bits, cut to 62 with a sticky last bit, and rounded once by the conversion.
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

    /// Returns the time multiplied by a finite number, to the nearest nanosecond. A time of more than 292 years, and the
    /// product with one, is infinite.
    package func multiplied(by factor: Double) -> MediaTime {
        guard isNumeric else { return factor < 0 ? .zero - self : self }
        if factor == 1 { return self }
        let fine = converted(toTimescale: 1_000_000_000)
        guard fine.isNumeric else { return fine.multiplied(by: factor) }
        guard let product = Self.nearest(factor, times: fine.value) else {
            return (fine.value < 0) != (factor < 0) ? .negativeInfinity : .positiveInfinity
        }
        return MediaTime(value: product, timescale: 1_000_000_000, flags: fine.flags, epoch: epoch)
    }

    /// The time for an error message, in seconds with at most three decimals.
    package var secondsText: String {
        guard isNumeric else { return description }
        let thousandths = Int64(min(max((seconds * 1000).rounded(), -1e15), 1e15))
        let rest = String(thousandths.magnitude % 1000)
        var text = "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1000)"
        if rest != "0" { text += "." + String(repeating: "0", count: 3 - rest.count) + rest }
        while text.contains("."), text.hasSuffix("0") { text.removeLast() }
        return text
    }

    /// Returns the rounded product, or nil if it does not fit. `seconds` must be finite.
    private static func product(_ seconds: Double, _ timescale: Int32, _ rounding: Rounding) -> Int64? {
        let rule: FloatingPointRoundingRule
        switch rounding {
        case .halfAwayFromZero: return nearest(seconds, times: Int64(timescale))
        case .towardZero, .quickTime: rule = .towardZero
        case .awayFromZero: rule = .awayFromZero
        case .towardPositiveInfinity: rule = .up
        case .towardNegativeInfinity: rule = .down
        }
        let rounded = (seconds * Double(timescale)).rounded(rule)
        return rounded.magnitude < 0x1p63 ? Int64(rounded) : nil
    }

    /// Returns the integer nearest to the exact product, or nil if it does not fit. `seconds` must be finite.
    private static func nearest(_ seconds: Double, times factor: Int64) -> Int64? {
        guard seconds != 0 else { return 0 }
        // seconds = significand * 2^exponent, exactly; a significand has 53 bits, the product at most 117.
        let isSubnormal = seconds.exponentBitPattern == 0
        let significand = seconds.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
        let exponent = Int(isSubnormal ? 1 : seconds.exponentBitPattern) - 1075
        let product = UInt128(significand) &* UInt128(factor.magnitude)

        let magnitude: UInt128
        if exponent >= 0 {
            guard exponent < 64, product.leadingZeroBitCount > exponent else { return nil }
            magnitude = product &<< UInt128(exponent)
        } else if exponent > -100 {
            magnitude = (product &+ (1 &<< UInt128(-exponent - 1))) &>> UInt128(-exponent)
        } else {
            magnitude = 0
        }
        let isNegative = (seconds < 0) != (factor < 0)
        let limit = UInt128(Int64.max) + (isNegative ? 1 : 0)
        guard magnitude <= limit else { return nil }
        let value = Int64(truncatingIfNeeded: magnitude)
        return isNegative ? 0 &- value : value
    }
}
