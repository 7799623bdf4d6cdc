/// Finds the sample entry of video (ISO/IEC 14496-12 8.5.2) among the bytes of an index that a muxer writes.
struct SampleEntryFinder {
    /// Where the entry's type is, and its configuration record.
    private(set) var entry: (type: Int64, record: Int64)?
    private let type: [UInt8]
    private let configuration: [UInt8]
    /// The end of what was written last, and where that ends.
    private var tail: [UInt8] = []
    private var end: Int64 = -1

    /// From the type of the box `stsd` on: its version and flags, one entry, whose size comes before its type.
    private static let beginning = Array("stsd".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]
    private static let typePlace = 16
    /// The first box in an entry, after 78 bytes of VisualSampleEntry, is the configuration.
    private static let configurationPlace = typePlace + 4 + 78 + 4
    private static let recordPlace = configurationPlace + 4

    /// - Parameters:
    ///   - type: of the entry, such as "avc1".
    ///   - configuration: the box with the record, such as "avcC".
    init(type: String, configuration: String) {
        self.type = Array(type.utf8)
        self.configuration = Array(configuration.utf8)
    }

    /// Bytes that are written at a place. The last entry that is found counts.
    mutating func look(at bytes: UnsafeRawBufferPointer, place: Int64) {
        if place != end { tail = [] }
        let base = place - Int64(tail.count)
        unsafe tail.append(contentsOf: bytes)
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
