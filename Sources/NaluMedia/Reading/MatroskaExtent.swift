internal import NaluBitstream

/// Follows the top-level elements of a Matroska file and of its segment (RFC 8794 and 9559) to detect whether the last
/// one is complete. libavformat does not distinguish a file that was cut off from one that ends.
struct MatroskaExtent {
    /// An element that ends beyond the end of its file.
    struct Cut {
        let start: Int64
        let end: Int64
    }

    /// The offset of the next element; nil if no further element can be found.
    private(set) var next: Int64? = 0
    /// The bytes of the next element's header that are known.
    private var header: [UInt8] = []
    private var last = Cut(start: 0, end: 0)
    private var segment = Cut(start: 0, end: 0)

    /// The length of the longest header in bytes: 4 for the ID and 8 for the size.
    private static let headerLength = 12
    private static let segmentID: UInt64 = 0x1853_8067
    private static let clusterID: UInt64 = 0x1F43_B675

    /// Accepts bytes of the file, in any order. Only bytes that continue the next element's header are used.
    mutating func take(_ bytes: Span<UInt8>, at position: Int64) {
        let end = position + Int64(bytes.count)
        while let next {
            let place = next + Int64(header.count)
            guard place >= position, place < end else { return }
            let first = Int(place - position)
            let count = min(bytes.count - first, Self.headerLength - header.count)
            header.append(copying: bytes.extracting(first..<first + count))
            // The rest of the header may follow in later bytes.
            guard let (id, size, length) = Self.parse(header) else {
                if header.count == Self.headerLength || Self.isBroken(header) { self.next = nil }
                return
            }
            header.removeAll(keepingCapacity: true)
            follow(id, size, from: next, body: next + Int64(length))
        }
    }

    private mutating func follow(_ id: UInt64, _ size: Int64?, from start: Int64, body: Int64) {
        // A cluster of unknown size has no known end, so its children come next.
        let isEntered = id == Self.segmentID || (id == Self.clusterID && size == nil)
        guard let size else {
            next = isEntered ? body : nil
            return
        }
        let (end, overflow) = body.addingReportingOverflow(size)
        guard !overflow else {
            next = nil
            return
        }
        if id == Self.segmentID { segment = Cut(start: start, end: end) } else { last = Cut(start: start, end: end) }
        next = isEntered ? body : end
    }

    /// Returns an element that a file of this size does not contain completely; nil if all elements are complete.
    func cut(atSize size: Int64) -> Cut? {
        if last.end > size { return last }
        if segment.end > size { return segment }
        guard let next, !header.isEmpty, next < size else { return nil }
        return Cut(start: next, end: next + Int64(header.count) + 1)
    }

    /// Returns the ID, size (nil if not known) and length of a header; nil if the header is incomplete or invalid.
    private static func parse(_ bytes: [UInt8]) -> (id: UInt64, size: Int64?, length: Int)? {
        guard let first = bytes.first, first >= 0x10 else { return nil }
        let idLength = first.leadingZeroBitCount + 1
        guard bytes.count > idLength, bytes[idLength] != 0 else { return nil }
        let sizeLength = bytes[idLength].leadingZeroBitCount + 1
        guard bytes.count >= idLength + sizeLength else { return nil }
        let id = bytes[..<idLength].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let all = (UInt64(1) << UInt64(7 * sizeLength)) - 1
        let size = bytes[idLength..<idLength + sizeLength].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & all
        return (id, size == all ? nil : Int64(size), idLength + sizeLength)
    }

    private static func isBroken(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return false }
        let idLength = first.leadingZeroBitCount + 1
        return first < 0x10 || (bytes.count > idLength && bytes[idLength] == 0)
    }
}
