internal import NaluBitstream

/// Follows the tags of an FLV file (Adobe Flash Video File Format 10.1, E.2 to E.4) to detect whether the file ends
/// within one. libavformat takes the beginning of a tag without a packet for the end of the file.
struct FlashExtent {
    /// The offset of the next header: first that of the file, then those of tags. Nil if no further header can be found.
    private(set) var next: Int64? = 0
    /// The bytes of the next header that are known.
    private var header: [UInt8] = []
    private var isInTags = false
    /// The last tag whose header is known.
    private var last: (start: Int64, end: Int64, type: UInt8)?

    /// Type, size, time and stream ID of a tag.
    private static let tagHeaderLength = 11
    /// Signature, version, flags and length of the file's header.
    private static let fileHeaderLength = 9
    /// PreviousTagSize follows the file's header and every tag.
    private static let previousSizeLength: Int64 = 4

    /// Continues with a tag that is known from elsewhere, for example after a seek.
    mutating func resume(at tag: Int64) {
        next = tag
        isInTags = true
        header.removeAll()
    }

    /// Accepts bytes of the file, in any order. Only bytes that continue the next header are used.
    mutating func take(_ bytes: Span<UInt8>, at position: Int64) {
        let end = position + Int64(bytes.count)
        while let next {
            let length = isInTags ? Self.tagHeaderLength : Self.fileHeaderLength
            let place = next + Int64(header.count)
            guard place >= position, place < end else { return }
            let first = Int(place - position)
            let count = min(bytes.count - first, length - header.count)
            header.append(copying: bytes.extracting(first..<first + count))
            // The rest of the header may follow in later bytes.
            guard header.count == length else { return }
            let size =
                isInTags
                ? Int64(length) + header[1..<4].reduce(0) { $0 << 8 | Int64($1) }
                : header[5..<9].reduce(0) { $0 << 8 | Int64($1) }
            if isInTags { last = (next, next + size, header[0]) }
            self.next = size >= Int64(length) ? next + size + Self.previousSizeLength : nil
            isInTags = true
            header.removeAll(keepingCapacity: true)
        }
    }

    /// Returns the offset of a tag of which a file of this size has only the beginning; nil if there is none.
    func cut(atSize size: Int64) -> Int64? {
        if let last, last.end > size { return Self.isTag(last.type) ? last.start : nil }
        guard isInTags, let next, next < size, next + Int64(header.count) == size, let type = header.first,
            Self.isTag(type)
        else { return nil }
        return next
    }

    /// Whether a byte is the type of a tag of audio, video or script data. Other bytes at the end, such as zeros that
    /// fill a block, are no tag.
    private static func isTag(_ type: UInt8) -> Bool { [8, 9, 18].contains(type & 31) }
}
