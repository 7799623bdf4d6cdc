import Nalu

/// Byte strings for the bitstream tests, and random bytes that are the same in every run.
enum TestBytes {
    /// Returns the bytes of a string of hexadecimal digits; ignores spaces.
    static func hex(_ digits: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits where digit != " " {
            let value = UInt8(digit.hexDigitValue ?? 0)
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Returns random bytes with many zeros, ones and threes.
    static func nasty(_ count: Int, using random: inout TestRandom) -> [UInt8] {
        (0..<count).map { _ in
            let value = random.next()
            return value & 3 == 0 ? UInt8(truncatingIfNeeded: value >> 8) : UInt8(truncatingIfNeeded: value >> 8 & 3)
        }
    }

    /// Returns a valid NAL unit with random content.
    static func unit(_ count: Int, using random: inout TestRandom) -> [UInt8] {
        [0x41] + EmulationPrevention.inserting(into: nasty(count, using: &random) + [0x80])
    }

    /// Returns the status that `body` throws, or `.ok`.
    static func status(_ body: () throws(NaluError) -> Void) -> Status {
        do throws(NaluError) {
            try body()
            return .ok
        } catch {
            return error.status
        }
    }
}

/// The SplitMix64 generator with a seed.
struct TestRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
