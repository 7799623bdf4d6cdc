internal import NaluBitstream

/// Finds the video sample entry (ISO/IEC 14496-12 8.5.2) in the bytes of an index while a muxer writes it.
struct SampleEntryFinder {
    /// The offsets of the entry's type and of its configuration record in the output; nil if none was found.
    private(set) var entry: (type: Int64, record: Int64)?
    private let type: [UInt8]
    private let configuration: [UInt8]
    /// The last written bytes that may begin an entry, and the offset of their end.
    private var tail: [UInt8] = []
    private var end: Int64 = -1

    /// The bytes from the type of the box `stsd` on: its type, its version and flags, and a count of one entry. The
    /// entry's size and its type follow.
    private static let beginning = Array("stsd".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]
    private static let typePlace = 16
    /// The offset of the configuration's type: the first box in an entry, after 78 bytes of VisualSampleEntry.
    private static let configurationPlace = typePlace + 4 + 78 + 4
    private static let recordPlace = configurationPlace + 4

    /// - Parameters:
    ///   - type: the type of the entry, such as "avc1".
    ///   - configuration: the type of the box that contains the record, such as "avcC".
    init(type: String, configuration: String) {
        self.type = Array(type.utf8)
        self.configuration = Array(configuration.utf8)
    }

    /// Searches bytes that are written at an offset. A later entry replaces an earlier one.
    mutating func look(at bytes: Span<UInt8>, place: Int64) {
        if place != end { tail = [] }
        let base = place - Int64(tail.count)
        tail.append(copying: bytes)
        end = place + Int64(bytes.count)
        var at = 0
        while at + Self.recordPlace <= tail.count {
            if tail[at] == Self.beginning[0], matches(Self.beginning, at), matches(type, at + Self.typePlace),
                matches(configuration, at + Self.configurationPlace)
            {
                entry = (base + Int64(at + Self.typePlace), base + Int64(at + Self.recordPlace))
            }
            at += 1
        }
        tail.removeFirst(at)
    }

    private func matches(_ pattern: [UInt8], _ place: Int) -> Bool {
        tail[place..<place + pattern.count].elementsEqual(pattern)
    }
}
