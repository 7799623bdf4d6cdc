/// Compresses bytes as RFC 1951 has it: one block with the fixed codes.
struct Deflate {
    private var output: [UInt8] = []
    private var bits: UInt32 = 0
    private var bitCount = 0

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]
    private static let longest = 258
    private static let window = 32768

    static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var deflate = Deflate()
        // The last block, with the fixed codes.
        deflate.add(0b011, 3)
        deflate.addSymbols(bytes)
        deflate.addSymbol(256)
        if deflate.bitCount > 0 { deflate.add(0, 8 - deflate.bitCount) }
        return deflate.output
    }

    /// Bytes, and repetitions of what began with the same three bytes the last time.
    private mutating func addSymbols(_ bytes: [UInt8]) {
        var last = [Int](repeating: -1, count: 1 << 15)
        var index = 0
        while index < bytes.count {
            var length = 0
            var start = -1
            if index + 3 <= bytes.count {
                let key =
                    (Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])) &* 0x9E37_79B1 >> 9
                    & 0x7FFF
                start = last[key]
                last[key] = index
            }
            if start >= 0, index - start <= Self.window {
                let end = min(Self.longest, bytes.count - index)
                while length < end && bytes[start + length] == bytes[index + length] { length += 1 }
            }
            if length >= 3 {
                addMatch(length: length, distance: index - start)
                index += length
            } else {
                addSymbol(Int(bytes[index]))
                index += 1
            }
        }
    }

    private mutating func addMatch(length: Int, distance: Int) {
        let code = (Self.lengthBases.firstIndex { $0 > length } ?? Self.lengthBases.count) - 1
        addSymbol(257 + code)
        add(UInt32(length - Self.lengthBases[code]), Self.lengthBits[code])
        let place = (Self.distanceBases.firstIndex { $0 > distance } ?? Self.distanceBases.count) - 1
        addReversed(UInt32(place), 5)
        add(UInt32(distance - Self.distanceBases[place]), max(0, place / 2 - 1))
    }

    private mutating func addSymbol(_ symbol: Int) {
        switch symbol {
        case 0..<144: addReversed(UInt32(0x30 + symbol), 8)
        case 144..<256: addReversed(UInt32(0x190 + symbol - 144), 9)
        case 256..<280: addReversed(UInt32(symbol - 256), 7)
        default: addReversed(UInt32(0xC0 + symbol - 280), 8)
        }
    }

    /// Codes stand with their highest bit first.
    private mutating func addReversed(_ code: UInt32, _ count: Int) {
        for shift in (0..<count).reversed() { add(code >> UInt32(shift) & 1, 1) }
    }

    private mutating func add(_ value: UInt32, _ count: Int) {
        bits |= value << UInt32(bitCount)
        bitCount += count
        while bitCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }
}
