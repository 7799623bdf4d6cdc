/// Undoes zlib's compression (RFC 1950 and RFC 1951), for the headers of old QuickTime movies. Small rather than fast.
struct Inflate {
    private let bytes: ArraySlice<UInt8>
    private var at: Int
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    private let most: Int

    /// A code of Huffman's: how many codes there are of each length, and the symbols in order.
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int]
        /// No more codes of a length than there can be.
        var isSound = true

        init(_ lengths: ArraySlice<Int>) {
            symbols = [Int](repeating: 0, count: lengths.count)
            for length in lengths where length > 0 { counts[length] += 1 }
            var left = 1
            for length in 1...15 {
                left = 2 * left - counts[length]
                isSound = isSound && left >= 0
            }
            var offsets = [Int](repeating: 0, count: 16)
            for length in 1..<15 { offsets[length + 1] = offsets[length] + counts[length] }
            for (symbol, length) in lengths.enumerated() where length > 0 {
                symbols[offsets[length]] = symbol
                offsets[length] += 1
            }
        }
    }

    /// Nil where it is damaged, or more than `most` bytes.
    static func bytes(of packed: ArraySlice<UInt8>, most: Int) -> [UInt8]? {
        var inflate = Inflate(packed, most)
        return inflate.run() ? inflate.output : nil
    }

    private init(_ packed: ArraySlice<UInt8>, _ most: Int) {
        bytes = packed
        at = packed.startIndex + 2
        self.most = most
    }

    private mutating func take(_ count: Int) -> Int? {
        while bitCount < count {
            guard at < bytes.endIndex else { return nil }
            bits |= UInt32(bytes[at]) << UInt32(bitCount)
            at += 1
            bitCount += 8
        }
        let value = Int(bits & (1 << UInt32(count) - 1))
        bits >>= UInt32(count)
        bitCount -= count
        return value
    }

    private mutating func symbol(_ code: Code) -> Int? {
        var (value, first, index) = (0, 0, 0)
        for length in 1...15 {
            guard let bit = take(1) else { return nil }
            value |= bit
            let count = code.counts[length]
            if value - count < first { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    private mutating func run() -> Bool {
        guard bytes.count >= 2 else { return false }
        while true {
            guard let isLast = take(1), let kind = take(2) else { return false }
            let isSound =
                switch kind {
                case 0: stored()
                case 1: packed(Self.fixed.0, Self.fixed.1)
                case 2: tables().map { packed($0.0, $0.1) } ?? false
                default: false
                }
            if !isSound { return false }
            if isLast == 1 { return true }
        }
    }

    private mutating func stored() -> Bool {
        bits = 0
        bitCount = 0
        guard at + 4 <= bytes.endIndex else { return false }
        let length = Int(bytes[at]) | Int(bytes[at + 1]) << 8
        at += 4
        guard at + length <= bytes.endIndex, output.count + length <= most else { return false }
        output += bytes[at..<at + length]
        at += length
        return true
    }

    private static let fixed: (Code, Code) = {
        let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
        return (Code(lengths[...]), Code([Int](repeating: 5, count: 30)[...]))
    }()

    /// RFC 1951, 3.2.7.
    private mutating func tables() -> (Code, Code)? {
        guard let literals = take(5), let distances = take(5), let counts = take(4) else { return nil }
        var lengths = [Int](repeating: 0, count: 19)
        for place in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].prefix(counts + 4) {
            guard let length = take(3) else { return nil }
            lengths[place] = length
        }
        let code = Code(lengths[...])
        guard code.isSound else { return nil }
        let all = literals + 257 + distances + 1
        lengths = []
        while lengths.count < all {
            guard let next = symbol(code) else { return nil }
            if next < 16 {
                lengths.append(next)
                continue
            }
            guard next != 16 || !lengths.isEmpty, let more = take(next == 16 ? 2 : next == 17 ? 3 : 7) else {
                return nil
            }
            let value = next == 16 ? lengths[lengths.count - 1] : 0
            lengths += [Int](repeating: value, count: more + (next == 18 ? 11 : 3))
        }
        guard lengths.count == all else { return nil }
        let codes = (Code(lengths[..<(literals + 257)]), Code(lengths[(literals + 257)...]))
        return codes.0.isSound && codes.1.isSound ? codes : nil
    }

    /// RFC 1951, 3.2.5.
    private mutating func packed(_ literals: Code, _ distances: Code) -> Bool {
        while true {
            guard let symbol = symbol(literals), symbol < 286 else { return false }
            if symbol == 256 { return true }
            if symbol < 256 {
                guard output.count < most else { return false }
                output.append(UInt8(symbol))
                continue
            }
            let place = symbol - 257
            let extra = place < 8 || place == 28 ? 0 : place / 4 - 1
            guard let more = take(extra) else { return false }
            let length = place == 28 ? 258 : place < 8 ? place + 3 : (4 + place % 4) << extra + 3 + more
            guard let far = self.symbol(distances), far < 30, let rest = take(far < 4 ? 0 : far / 2 - 1) else {
                return false
            }
            let distance = far < 4 ? far + 1 : (2 + far % 2) << (far / 2 - 1) + 1 + rest
            guard distance <= output.count, output.count + length <= most else { return false }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }
}
