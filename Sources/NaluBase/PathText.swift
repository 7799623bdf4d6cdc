/// Paths as text.
///
/// Paths of Linux are bytes, which need not be UTF-8: names from cameras and old systems often are not. A `String`
/// cannot hold such bytes, and repairs them, so that the path would name another file. A pair of markers therefore
/// stands for each byte that is not part of valid UTF-8. The markers are noncharacters, which Unicode reserves for use
/// inside a program. A path that contains one of them has its bytes marked too, so that every path keeps its bytes.
extension String {
    /// The markers of a byte's high and low four bits.
    private static let high: ClosedRange<UInt32> = 0xFDD0...0xFDDF
    private static let low: ClosedRange<UInt32> = 0xFDE0...0xFDEF

    /// Creates the text of a path.
    package init(path bytes: [UInt8]) {
        self.init()
        var rest = bytes[...]
        while let first = rest.first {
            let scalar = Self.firstScalar(of: rest)
            if let scalar, scalar.value < Self.high.lowerBound || scalar.value > Self.low.upperBound {
                unicodeScalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                append(marking: first)
                rest = rest.dropFirst()
            }
        }
    }

    /// Creates the text of a path that ends with a NUL.
    @unsafe
    package init(path: UnsafePointer<CChar>) {
        var bytes: [UInt8] = []
        while case let byte = unsafe path[bytes.count], byte != 0 { bytes.append(UInt8(bitPattern: byte)) }
        self.init(path: bytes)
    }

    /// Returns the character at the beginning of the bytes; nil if there is no valid one.
    private static func firstScalar(of bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return nil }
        return scalar
    }

    private mutating func append(marking byte: UInt8) {
        for value in [Self.high.lowerBound + UInt32(byte >> 4), Self.low.lowerBound + UInt32(byte & 15)] {
            if let marker = Unicode.Scalar(value) { unicodeScalars.append(marker) }
        }
    }

    /// The path's bytes with a NUL at the end, for system calls.
    package var pathBytes: [CChar] {
        parts.flatMap { part in
            switch part {
            case .byte(let byte): [CChar(bitPattern: byte)]
            case .scalar(let scalar): UTF8.encode(scalar).map { $0.map { CChar(bitPattern: $0) } } ?? []
            }
        } + [0]
    }

    /// Whether the text is a path with bytes that are not valid UTF-8.
    package var hasMarkedBytes: Bool {
        parts.contains { if case .byte = $0 { true } else { false } }
    }

    /// The text for people: U+FFFD stands for bytes that are not valid UTF-8.
    package var withoutMarkedBytes: String {
        guard unicodeScalars.contains(where: { Self.high.contains($0.value) }) else { return self }
        return String(decoding: pathBytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private enum Part {
        case byte(UInt8)
        case scalar(Unicode.Scalar)
    }

    private var parts: [Part] {
        var parts: [Part] = []
        var rest = Substring(self).unicodeScalars
        while let scalar = rest.popFirst() {
            if Self.high.contains(scalar.value), let next = rest.first, Self.low.contains(next.value) {
                rest.removeFirst()
                let bits = (scalar.value - Self.high.lowerBound) << 4 | (next.value - Self.low.lowerBound)
                parts.append(.byte(UInt8(bits)))
            } else {
                parts.append(.scalar(scalar))
            }
        }
        return parts
    }
}
