internal import CFFmpeg

/// The descriptions of a file that its container states: title, creation time, position and others, by FFmpeg's keys.
/// A writer stores those that its container can store.
package struct ContainerMetadata: Sendable {
    private struct Entry: Sendable {
        let key: String
        let value: String
    }

    private var entries: [Entry] = []
    /// More entries than any real file has.
    private static let mostEntries = 1024

    package init() {}

    /// Reads the metadata of an opened file.
    ///
    /// - Parameter format: FFmpeg's name of the file's format.
    @unsafe
    init(_ dictionary: OpaquePointer?, format: String) {
        let isOpen = format.hasPrefix("mov") || format.hasPrefix("matroska")
        let all = unsafe FFmpegText.tags(in: dictionary)
        var values: [String: String] = [:]
        for (key, value) in all { values[key] = value }
        var known: Set<String> = []
        for (key, value) in all where !value.isEmpty && entries.count < Self.mostEntries {
            // FFmpeg adds a copy with the language, for example "title-eng", of texts that state one.
            if key.dropLast(3).last == "-" {
                let base = String(key.dropLast(4))
                if values[base] == value || Self.isTechnical(base.lowercased()) { continue }
            }
            let name = Self.names[key.lowercased()] ?? key
            let plain = name.lowercased()
            // Other formats state facts about their own tracks and muxers in the same place.
            guard isOpen ? !Self.isTechnical(plain) : Self.descriptions.contains(plain) else { continue }
            if known.insert(plain).inserted { entries.append(Entry(key: name, value: value)) }
        }
    }

    /// The keys of the entries that a container cannot store, in the order of the file.
    package func keys(notStoredIn container: Container) -> [String] {
        entries.filter { !Self.isStored($0, in: container.rawValue) }.map { $0.key.lowercased() }
    }

    /// Adds the entries that the container stores to the metadata of a muxer.
    func apply(to context: FFmpegStruct<AVFormatContext>, in container: OutputFormat) {
        for entry in entries where Self.isStored(entry, in: container.rawValue) {
            unsafe _ = av_dict_set(&context.pointer.pointee.metadata, entry.key, entry.value, 0)
        }
    }

    private static func isStored(_ entry: Entry, in container: String) -> Bool {
        let key = entry.key.lowercased()
        return switch OutputFormat(rawValue: container) {
        case .matroska: true
        case .flv: descriptions.contains(key) && fits(entry.value)
        // FFmpeg's muxer writes the position as numbers, and leaves out one that it cannot read.
        case .mp4:
            if key == "location" {
                isPosition(entry.value)
            } else {
                mp4.contains(key) || mp4Numbers[key].map { isNumber(entry.value, $0) } == true
            }
        case .mov: mov.contains(key) && fits(entry.value)
        default: false
        }
    }

    /// Whether a text has no more bytes than 16 bits can count, as in the strings of FLV and of QuickTime.
    private static func fits(_ text: String) -> Bool { text.utf8.count <= UInt16.max }

    /// Whether a text begins with latitude and longitude as in ISO 6709, for example "+48.1+011.5/".
    private static func isPosition(_ text: String) -> Bool {
        var rest = text.utf8[...]
        for _ in 0..<2 {
            guard let sign = rest.popFirst(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
                let digit = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit)
            else { return false }
            rest = rest.drop { ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) || $0 == UInt8(ascii: ".") }
        }
        return true
    }

    private static func isNumber(_ text: String, _ form: (range: ClosedRange<Int>, mayHaveTotal: Bool)) -> Bool {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        return numbers.count <= (form.mayHaveTotal ? 2 : 1) && form.range.contains(numbers[0])
            && (0...0xFFFF).contains(numbers[numbers.count - 1])
    }

    /// Whether an entry describes the file itself, or the program that wrote it, and not its content.
    private static func isTechnical(_ key: String) -> Bool {
        technical.contains(key) || key.hasPrefix("_statistics_")
    }

    private static let technical: Set = [
        "major_brand", "minor_version", "compatible_brands", "encoder", "encoding_tool", "duration", "timecode",
        "com.android.version", "com.apple.quicktime.software",
    ]

    /// The entries that FFmpeg's muxer for mp4 writes (movenc.c, mov_write_ilst_tag and mov_write_mvhd_tag).
    private static let mp4: Set = [
        "title", "artist", "album_artist", "composer", "album", "date", "comment", "genre", "copyright", "grouping",
        "lyrics", "description", "synopsis", "show", "episode_id", "network", "keywords", "creation_time",
    ]

    /// The numbers that FFmpeg's muxer for mp4 writes (movenc.c, mov_write_trkn_tag and mov_write_int8_metadata). The
    /// places of tracks and discs can have a total: "3/12". A place of 0 is not written.
    private static let mp4Numbers: [String: (range: ClosedRange<Int>, mayHaveTotal: Bool)] = [
        "track": (1...0xFFFF, true), "disc": (1...0xFFFF, true), "season_number": (0...0xFF, false),
        "episode_sort": (0...0xFF, false), "compilation": (0...0xFF, false), "media_type": (0...0xFF, false),
        "hd_video": (0...0xFF, false), "gapless_playback": (0...0xFF, false),
    ]

    /// The entries that FFmpeg's muxer for mov writes (movenc.c, mov_write_udta_tag and mov_write_mvhd_tag).
    private static let mov: Set = [
        "title", "artist", "author", "album", "date", "comment", "genre", "copyright", "make", "model", "location",
        "keywords", "creation_time",
    ]

    private static let descriptions = mp4.union(mov)

    /// The keys of iPhones' files, and those for which the muxers have an element.
    private static let names = [
        "com.apple.quicktime.location.iso6709": "location", "com.apple.quicktime.make": "make",
        "com.apple.quicktime.model": "model", "com.apple.quicktime.title": "title",
        "com.apple.quicktime.artist": "artist", "com.apple.quicktime.author": "author",
        "com.apple.quicktime.album": "album", "com.apple.quicktime.comment": "comment",
        "com.apple.quicktime.copyright": "copyright", "com.apple.quicktime.description": "description",
        "com.apple.quicktime.genre": "genre", "com.apple.quicktime.keywords": "keywords",
        "com.apple.quicktime.creationdate": "date",
    ]
}
