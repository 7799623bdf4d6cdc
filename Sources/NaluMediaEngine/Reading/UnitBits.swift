/// Reads the fields of a NAL unit, past emulation prevention bytes (ITU-T H.264 7.3.1, H.265 7.3.1.1). Beyond the end
/// everything is 0.
@safe
struct UnitBits {
    private let bytes: UnsafeRawBufferPointer
    private var next: Int
    private var zeros = 0
    private var current: UInt8 = 0
    private var left = 0
    private(set) var isAtEnd = false

    init(_ bytes: UnsafeRawBufferPointer, from start: Int) {
        unsafe self.bytes = bytes
        next = start
    }

    mutating func byte() -> UInt8 {
        guard var value = take() else { return 0 }
        if zeros >= 2 && value == 3 {
            zeros = 0
            guard let following = take() else { return 0 }
            value = following
        }
        zeros = value == 0 ? zeros + 1 : 0
        return value
    }

    private mutating func take() -> UInt8? {
        guard unsafe next < bytes.count else {
            isAtEnd = true
            return nil
        }
        defer { next += 1 }
        return unsafe bytes[next]
    }

    mutating func bit() -> UInt32 {
        if left == 0 {
            current = byte()
            left = 8
        }
        left -= 1
        return UInt32(current >> UInt8(left)) & 1
    }

    /// u(n).
    mutating func value(_ count: Int) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count { value = value << 1 | bit() }
        return value
    }

    /// ue(v), 9.1; nil for one of more than 32 bits.
    mutating func number() -> UInt32? {
        var count = 0
        while bit() == 0 {
            count += 1
            guard count < 32 && !isAtEnd else { return nil }
        }
        var value: UInt32 = 1
        for _ in 0..<count { value = value << 1 | bit() }
        return value - 1
    }
}
