/// An exact rational time, `value / timescale` seconds, with CMTime's 24-byte layout and arithmetic.
///
/// A time is *numeric* if ``MediaTimeFlags/valid`` is set, none of the infinity and indefinite flags are, and the
/// timescale is positive. The other times are positive and negative infinity, indefinite, and invalid. Every operation
/// has a result for every combination of the 192 bits, and none traps.
///
/// Equality, order and hash follow the meaning: 1/2 equals 2/4, and two infinite times are equal whatever their value
/// fields contain. ``isIdentical(to:)`` compares the fields. The corresponding C type is `nalu_time`.
public struct MediaTime: Sendable {
    /// The number of units of `1 / timescale` seconds.
    public var value: Int64
    /// Units per second, 1 to 2147483647 for a numeric time.
    public var timescale: Int32
    /// The kind of the time, and whether it has been rounded.
    public var flags: MediaTimeFlags
    /// The timeline of the time, for example the number of a loop; 0 by default.
    public var epoch: Int64

    /// Creates a time from the four fields, whatever they contain.
    @inlinable
    public init(value: Int64, timescale: Int32, flags: MediaTimeFlags, epoch: Int64) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// Creates the time of `value / timescale` seconds; the invalid time for a timescale of 0 or less.
    @inlinable
    public init(value: Int64, timescale: Int32) {
        guard timescale > 0 else {
            self = .invalid
            return
        }
        self.init(value: value, timescale: timescale, flags: .valid, epoch: 0)
    }
}

// MARK: - Constants

extension MediaTime {
    /// The invalid time, all bits zero, which also stands for a missing time.
    public static var invalid: MediaTime { MediaTime(value: 0, timescale: 0, flags: [], epoch: 0) }

    /// An unknown time.
    public static var indefinite: MediaTime {
        MediaTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    }

    /// The time 0 / 1.
    public static var zero: MediaTime { MediaTime(value: 0, timescale: 1, flags: .valid, epoch: 0) }

    /// A time later than every numeric time.
    public static var positiveInfinity: MediaTime {
        MediaTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    }

    /// A time earlier than every numeric time.
    public static var negativeInfinity: MediaTime {
        MediaTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
    }
}

// MARK: - Kinds

extension MediaTime {
    /// The five kinds of time; the raw values are their order.
    enum Kind: Int {
        case negativeInfinity, numeric, indefinite, positiveInfinity, invalid
    }

    var kind: Kind {
        if isNumeric {
            return .numeric
        }
        guard flags.contains(.valid) else { return .invalid }
        if flags.contains(.positiveInfinity) {
            return .positiveInfinity
        }
        if flags.contains(.negativeInfinity) {
            return .negativeInfinity
        }
        return flags.contains(.indefinite) ? .indefinite : .invalid
    }

    /// Whether the time is a number of seconds: valid, finite, known, and with a positive timescale.
    public var isNumeric: Bool {
        let deciding = MediaTimeFlags.impliedValue.union(.valid).rawValue
        return flags.rawValue & deciding == MediaTimeFlags.valid.rawValue && timescale > 0
    }

    /// Whether the time is numeric, infinite or indefinite.
    public var isValid: Bool { kind != .invalid }

    /// Whether the time is positive or negative infinity.
    public var isInfinite: Bool { kind == .positiveInfinity || kind == .negativeInfinity }

    /// Whether the time is indefinite.
    public var isIndefinite: Bool { kind == .indefinite }

    /// Whether a calculation that led to the time was not exact.
    public var hasBeenRounded: Bool { flags.contains(.hasBeenRounded) }

    /// Whether all four fields are equal bit for bit.
    public func isIdentical(to other: MediaTime) -> Bool {
        value == other.value && timescale == other.timescale && flags == other.flags && epoch == other.epoch
    }
}

// MARK: - Order

extension MediaTime: Comparable, Hashable {
    /// Returns -1, 0 or 1 if the time lies before, at or after `other`. This is a total order.
    ///
    /// Negative infinity < numeric < indefinite < positive infinity < invalid. Numeric times compare by epoch, then
    /// exactly by value, whatever their timescales.
    public func compared(to other: MediaTime) -> Int {
        guard isNumeric, other.isNumeric else { return Self.order(kind.rawValue, other.kind.rawValue) }
        if epoch != other.epoch {
            return Self.order(epoch, other.epoch)
        }
        if timescale == other.timescale {
            return Self.order(value, other.value)
        }
        return Self.order(
            Int128(value) &* Int128(other.timescale),
            Int128(other.value) &* Int128(timescale)
        )
    }

    private static func order<T: Comparable>(_ a: T, _ b: T) -> Int {
        a < b ? -1 : (a == b ? 0 : 1)
    }

    public static func == (a: MediaTime, b: MediaTime) -> Bool { a.compared(to: b) == 0 }

    public static func < (a: MediaTime, b: MediaTime) -> Bool { a.compared(to: b) < 0 }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        guard isNumeric else { return }
        let divisor = Self.greatestCommonDivisor(value.magnitude, UInt64(timescale.magnitude))
        hasher.combine(epoch)
        hasher.combine(value < 0)
        hasher.combine(value.magnitude / divisor)
        hasher.combine(UInt64(timescale.magnitude) / divisor)
    }

    /// Returns the greatest common divisor. `b` must not be zero.
    static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
        var (a, b) = (a, b)
        while b != 0 {
            (a, b) = (b, a % b)
        }
        return a
    }
}

extension MediaTime: CustomStringConvertible {
    /// A text such as "1001/30000", with "~" before a rounded time and "@3" after a time of epoch 3.
    public var description: String {
        switch kind {
        case .invalid: "invalid"
        case .indefinite: "indefinite"
        case .positiveInfinity: "+infinity"
        case .negativeInfinity: "-infinity"
        case .numeric: "\(hasBeenRounded ? "~" : "")\(value)/\(timescale)\(epoch == 0 ? "" : "@\(epoch)")"
        }
    }
}

/// The flag bits of a ``MediaTime``, with CMTime's values. The corresponding C constants are `NALU_TIME_...`.
public struct MediaTimeFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Set in every time that is not the invalid time.
    public static let valid = MediaTimeFlags(rawValue: 1 << 0)
    /// A calculation that led to the time was not exact.
    public static let hasBeenRounded = MediaTimeFlags(rawValue: 1 << 1)
    /// The time is positive infinity; value and timescale mean nothing.
    public static let positiveInfinity = MediaTimeFlags(rawValue: 1 << 2)
    /// The time is negative infinity; value and timescale mean nothing.
    public static let negativeInfinity = MediaTimeFlags(rawValue: 1 << 3)
    /// The time is unknown, like the duration of a live stream; value and timescale mean nothing.
    public static let indefinite = MediaTimeFlags(rawValue: 1 << 4)

    /// The flags of times whose value and timescale mean nothing.
    static let impliedValue: MediaTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}
