/// A PNG file (ISO/IEC 15948) of a picture.
enum PNGFile {
    static func bytes(of picture: RGBPicture) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // 8 bits a sample, R G B, one pass.
        add("IHDR", bigEndian(picture.width) + bigEndian(picture.height) + [8, 2, 0, 0, 0], to: &file)
        let lines = filtered(picture)
        // A window of 32 KiB, no dictionary (RFC 1950).
        add("IDAT", [0x78, 0x01] + Deflate.compressed(lines) + bigEndian(Int(adler(lines))), to: &file)
        add("IEND", [], to: &file)
        return file
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func add(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
        let body = Array(type.utf8) + content
        file += bigEndian(content.count) + body + bigEndian(Int(checksum(body)))
    }

    /// Each row as differences from the one above, which compress better; the first from nothing.
    private static func filtered(_ picture: RGBPicture) -> [UInt8] {
        let stride = 3 * picture.width
        var lines: [UInt8] = []
        lines.reserveCapacity((stride + 1) * picture.height)
        for row in 0..<picture.height {
            let start = row * stride
            lines.append(row == 0 ? 0 : 2)
            for index in start..<start + stride {
                lines.append(row == 0 ? picture.bytes[index] : picture.bytes[index] &- picture.bytes[index - stride])
            }
        }
        return lines
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (a, b) = (UInt32(1), UInt32(0))
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return b << 16 | a
    }

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}
