internal import Nalu
internal import NaluMedia

/// The facts that a container states about the file and its tracks.
struct ContainerFacts {
    let name: String
    /// The size of the file; nil if it is not known.
    let byteCount: Int?
    private(set) var duration: MediaTime?
    let tracks: [ReaderTrack]
    /// The index of the track that is inspected.
    let inspected: Int?

    init(_ reader: Reader, byteCount: Int?, inspected: Int?) {
        name = reader.container.rawValue
        self.byteCount = byteCount
        duration = reader.duration
        tracks = reader.tracks
        self.inspected = inspected
    }

    /// Sets the duration to the display time of all samples, if the container does not state a duration.
    mutating func measure(_ seconds: Double) {
        guard duration == nil, seconds > 0, seconds < 1e9 else { return }
        duration = MediaTime(value: Int64((seconds * 1e6).rounded()), timescale: 1_000_000)
    }

    /// Rows for people: one for the file and one for each track.
    var rows: [(name: String, value: String)] {
        var parts = [name]
        if let byteCount { parts.append(QuantityFormat.bytes(byteCount)) }
        if let duration { parts.append(QuantityFormat.duration(duration.seconds)) }
        return [("file", parts.joined(separator: ", "))]
            + tracks.map { track in
                let mark = track.index == inspected && tracks.count > 1 ? " (looked into here)" : ""
                return ("track \(track.index)", Self.text(track) + mark)
            }
    }

    private static func text(_ track: ReaderTrack) -> String {
        var parts = ["\(track.mediaType.rawValue) \(track.codecName)"]
        if track.isEncrypted { parts.append("encrypted") }
        if track.width > 0 { parts.append("\(track.width)x\(track.height)") }
        if let rate = track.nominalFrameRate { parts.append("\(QuantityFormat.short(rate)) fps") }
        if track.sampleRate > 0 {
            parts.append("\(track.sampleRate) Hz")
            parts.append(NumberText.count(track.channelCount, "channel"))
        }
        if track.isMirrored { parts.append("mirrored") }
        if track.rotation != 0 { parts.append("rotated by \(track.rotation) degrees") }
        if let start = track.startTime, start.value != 0 { parts.append("from \(FrameTimes.text(start)) s") }
        if let duration = track.duration { parts.append(QuantityFormat.duration(duration.seconds)) }
        if let count = track.sampleCount { parts.append(NumberText.count(count, "sample")) }
        if let rate = track.bitRate { parts.append(QuantityFormat.bitRate(Double(rate))) }
        if track.timescale > 0 { parts.append("time scale \(track.timescale)") }
        if track.language != "und" { parts.append(track.language) }
        return parts.joined(separator: ", ")
    }

    var json: JSONValue {
        .object([
            ("name", .string(name)), ("size", byteCount.map { .integer(Int64($0)) } ?? .null),
            ("duration", Self.seconds(duration)), ("inspected", inspected.map { .integer(Int64($0)) } ?? .null),
            ("tracks", .array(tracks.map(Self.json))),
        ])
    }

    private static func seconds(_ time: MediaTime?) -> JSONValue {
        time.map { .number($0.seconds) } ?? .null
    }

    private static func json(_ track: ReaderTrack) -> JSONValue {
        func positive(_ number: Int?) -> JSONValue {
            number.map { $0 > 0 ? .integer(Int64($0)) : .null } ?? .null
        }
        return .object([
            ("index", .integer(Int64(track.index))), ("type", .string(track.mediaType.rawValue)),
            ("codec", .string(track.codecName)), ("default", .bool(track.isDefault)),
            ("encrypted", .bool(track.isEncrypted)),
            ("width", positive(track.width)), ("height", positive(track.height)),
            ("pixelAspectHorizontal", .integer(Int64(track.pixelAspectRatio.horizontal))),
            ("pixelAspectVertical", .integer(Int64(track.pixelAspectRatio.vertical))),
            ("rotation", .integer(Int64(track.rotation))), ("mirrored", .bool(track.isMirrored)),
            ("timescale", positive(track.timescale)), ("start", seconds(track.startTime)),
            ("duration", seconds(track.duration)),
            ("frameRate", track.nominalFrameRate.map { .number($0) } ?? .null),
            ("bitRate", positive(track.bitRate)), ("samples", positive(track.sampleCount)),
            ("sampleRate", positive(track.sampleRate)), ("channels", positive(track.channelCount)),
            ("language", .string(track.language)),
        ])
    }
}
