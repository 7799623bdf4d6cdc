/// Writes little-endian numbers.
package struct ByteWriter {
    package var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ integer: some FixedWidthInteger) {
        for shift in stride(from: 0, to: integer.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: integer >> shift))
        }
    }

    /// Appends a time of epoch 0. Times that are not numeric become the invalid time.
    mutating func append(_ time: MediaTime) {
        append(time.isNumeric ? time.value : 0)
        append(time.isNumeric ? time.timescale : 0)
    }

    /// Returns the FNV-1a hash (http://www.isthe.com/chongo/tech/comp/fnv), which detects corruption, not malice.
    package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}

/// Reads little-endian numbers.
struct ByteCursor {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func integer<Integer: FixedWidthInteger>() -> Integer? {
        take(Integer.bitWidth / 8).map { bytes in
            Integer(truncatingIfNeeded: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    mutating func time() -> MediaTime? {
        guard let value: Int64 = integer(), let timescale: Int32 = integer() else { return nil }
        return MediaTime(value: value, timescale: timescale)
    }
}
