// Sums, differences and changes of timescale. Every intermediate number is exact. A value has 63 bits and a timescale
// 31, and no product below needs more than 126 of the 127 bits of Int128.

extension MediaTime {
    /// Returns the sum, like CMTimeAdd.
    ///
    /// Two equal timescales are kept. Two different timescales become their least common multiple, or 2147483647 with
    /// rounding if the multiple is larger. If the value does not fit, the timescale is halved until it fits. If it does
    /// not fit even in whole seconds, the result is infinite. ``MediaTimeFlags/hasBeenRounded`` is set if the result or
    /// an operand is not exact.
    ///
    /// Invalid operands and the sum of opposite infinities result in the invalid time. Otherwise an infinite operand
    /// results in an infinite time, and an indefinite operand in the indefinite time. Times of epoch 0 count as
    /// durations and can be added to times of any epoch. Two equal epochs result in epoch 0; other pairs of epochs
    /// result in the invalid time.
    public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
        if a.timescale == b.timescale, a.epoch | b.epoch == 0, a.isNumeric, b.isNumeric {
            let (sum, overflow) = a.value.addingReportingOverflow(b.value)
            if !overflow {
                return MediaTime(value: sum, timescale: a.timescale, flags: roundedFlags(a, b), epoch: 0)
            }
        }
        return combine(a, b, bKind: b.kind, sign: 1)
    }

    /// Returns the difference, like CMTimeSubtract: the sum of `a` and the negative of `b`.
    public static func - (a: MediaTime, b: MediaTime) -> MediaTime {
        if a.timescale == b.timescale, a.epoch | b.epoch == 0, a.isNumeric, b.isNumeric {
            let (difference, overflow) = a.value.subtractingReportingOverflow(b.value)
            if !overflow {
                return MediaTime(value: difference, timescale: a.timescale, flags: roundedFlags(a, b), epoch: 0)
            }
        }
        let negated: Kind =
            switch b.kind {
            case .positiveInfinity: .negativeInfinity
            case .negativeInfinity: .positiveInfinity
            default: b.kind
            }
        return combine(a, b, bKind: negated, sign: -1)
    }

    public static func += (a: inout MediaTime, b: MediaTime) { a = a + b }

    public static func -= (a: inout MediaTime, b: MediaTime) { a = a - b }

    /// Returns the same time in units of `1 / timescale`, rounded half away from zero, like CMTimeConvertScale.
    ///
    /// ``MediaTimeFlags/hasBeenRounded`` is set if the result is not exact. If the value does not fit, the result is
    /// infinite. Times that are not numeric are returned unchanged; a timescale of 0 or less results in the invalid
    /// time.
    public func converted(toTimescale newTimescale: Int32) -> MediaTime {
        guard newTimescale > 0 else {
            return .invalid
        }
        guard isNumeric, newTimescale != timescale else {
            return self
        }
        let (product, overflow) = value.multipliedReportingOverflow(by: Int64(newTimescale))
        if !overflow {
            let (quotient, remainder) = product.quotientAndRemainder(dividingBy: Int64(timescale))
            if remainder == 0 {
                return MediaTime(value: quotient, timescale: newTimescale, flags: flags, epoch: epoch)
            }
        }
        let (rounded, exact) = Self.divideRounding(Int128(value) &* Int128(newTimescale), by: Int128(timescale))
        guard let fitting = Int64(exactly: rounded) else {
            return rounded < 0 ? .negativeInfinity : .positiveInfinity
        }
        return MediaTime(
            value: fitting,
            timescale: newTimescale,
            flags: exact ? flags : flags.union(.hasBeenRounded),
            epoch: epoch
        )
    }

    // MARK: - Implementation

    private static func roundedFlags(_ a: MediaTime, _ b: MediaTime) -> MediaTimeFlags {
        MediaTimeFlags.valid.union(a.flags.union(b.flags).intersection(.hasBeenRounded))
    }

    /// Returns `a + sign * b`. `bKind` is the kind of `sign * b`.
    private static func combine(_ a: MediaTime, _ b: MediaTime, bKind: Kind, sign: Int128) -> MediaTime {
        switch (a.kind, bKind) {
        case (.numeric, .numeric):
            return combineNumeric(a, b, sign: sign)
        case (.invalid, _), (_, .invalid):
            return .invalid
        case (.positiveInfinity, .negativeInfinity), (.negativeInfinity, .positiveInfinity):
            return .invalid
        case (.positiveInfinity, _), (_, .positiveInfinity):
            return .positiveInfinity
        case (.negativeInfinity, _), (_, .negativeInfinity):
            return .negativeInfinity
        default:
            return .indefinite
        }
    }

    private static func combineNumeric(_ a: MediaTime, _ b: MediaTime, sign: Int128) -> MediaTime {
        let epoch: Int64
        if a.epoch == b.epoch {
            epoch = 0
        } else if a.epoch == 0 || b.epoch == 0 {
            epoch = a.epoch | b.epoch
        } else {
            return .invalid
        }
        let divisor = Int128(
            greatestCommonDivisor(UInt64(a.timescale.magnitude), UInt64(b.timescale.magnitude))
        )
        let aFactor = Int128(b.timescale) / divisor
        let bFactor = Int128(a.timescale) / divisor
        let commonTimescale = Int128(a.timescale) &* aFactor
        let exactValue = Int128(a.value) &* aFactor &+ sign &* Int128(b.value) &* bFactor

        var timescale = Int32(clamping: commonTimescale)
        while timescale > 0 {
            let (value, exact) = divideRounding(exactValue &* Int128(timescale), by: commonTimescale)
            if let fitting = Int64(exactly: value) {
                var flags = roundedFlags(a, b)
                if !exact {
                    flags.insert(.hasBeenRounded)
                }
                return MediaTime(value: fitting, timescale: timescale, flags: flags, epoch: epoch)
            }
            timescale /= 2
        }
        return exactValue < 0 ? .negativeInfinity : .positiveInfinity
    }

    /// Returns `numerator / denominator` rounded half away from zero, and whether the result is exact. The denominator
    /// must be positive and below 2^62.
    private static func divideRounding(_ numerator: Int128, by denominator: Int128) -> (Int128, exact: Bool) {
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        if remainder == 0 {
            return (quotient, true)
        }
        let magnitude = remainder < 0 ? 0 &- remainder : remainder
        if magnitude &* 2 < denominator {
            return (quotient, false)
        }
        return (numerator < 0 ? quotient &- 1 : quotient &+ 1, false)
    }
}
