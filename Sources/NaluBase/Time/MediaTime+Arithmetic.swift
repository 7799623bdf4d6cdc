// Sums, differences and changes of timescale. Every intermediate number is exact. A value has 63 bits and a timescale
// 31, and no product below needs more than 126 of the 127 bits of Int128.

extension MediaTime {
    /// The rounding of a value that is not exact. The raw values are those of CMTimeRoundingMethod.
    public enum Rounding: Int32, Sendable {
        case halfAwayFromZero = 1
        case towardZero = 2
        case awayFromZero = 3
        /// Away from zero to a finer timescale, toward zero to a coarser one, except that no negative time becomes 0.
        case quickTime = 4
        case towardPositiveInfinity = 5
        case towardNegativeInfinity = 6
    }

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

    /// Returns the same time in units of `1 / timescale`, like CMTimeConvertScale.
    ///
    /// ``MediaTimeFlags/hasBeenRounded`` is set if the result is not exact. If the value does not fit, the result is
    /// infinite. Times that are not numeric are returned unchanged; a timescale of 0 or less results in the invalid
    /// time.
    public func converted(toTimescale newTimescale: Int32, rounding: Rounding = .halfAwayFromZero) -> MediaTime {
        guard newTimescale > 0 else { return .invalid }
        guard isNumeric, newTimescale != timescale else { return self }
        let (product, overflow) = value.multipliedReportingOverflow(by: Int64(newTimescale))
        if !overflow {
            let (quotient, remainder) = product.quotientAndRemainder(dividingBy: Int64(timescale))
            if remainder == 0 {
                return MediaTime(value: quotient, timescale: newTimescale, flags: flags, epoch: epoch)
            }
        }
        let (rounded, exact) = Self.divide(
            Int128(value) &* Int128(newTimescale), by: Int128(timescale), rounding, isFiner: newTimescale > timescale)
        guard let fitting = Int64(exactly: rounded) else { return rounded < 0 ? .negativeInfinity : .positiveInfinity }
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
            let (value, exact) = divide(exactValue &* Int128(timescale), by: commonTimescale)
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

    /// Returns the rounded quotient, and whether it is exact. The denominator must be positive and below 2^62.
    /// `isFiner` is true if the new timescale is finer than the old one.
    private static func divide(
        _ numerator: Int128, by denominator: Int128, _ rounding: Rounding = .halfAwayFromZero, isFiner: Bool = false
    ) -> (Int128, exact: Bool) {
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        if remainder == 0 {
            return (quotient, true)
        }
        let away: Int128 = remainder < 0 ? -1 : 1
        let unit: Int128 =
            switch rounding {
            case .halfAwayFromZero: away &* remainder &* 2 >= denominator ? away : 0
            case .towardZero: 0
            case .awayFromZero: away
            case .quickTime: isFiner || (remainder < 0 && quotient == 0) ? away : 0
            case .towardPositiveInfinity: max(away, 0)
            case .towardNegativeInfinity: min(away, 0)
            }
        return (quotient &+ unit, false)
    }
}
