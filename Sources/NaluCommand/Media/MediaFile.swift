internal import Nalu
internal import NaluBase
private import NaluLibc
internal import NaluMedia

/// A container or a stream with its reader, and the selected video track.
struct MediaFile {
    /// The file's name in error messages.
    let name: String
    let reader: Reader
    let track: ReaderTrack
    /// The format of the track; nil if its parameter sets arrive later.
    var format: FormatDescription? { reader.formatDescription(ofTrack: track.index) }

    /// The tracks that belong to the video.
    var otherTracks: [ReaderTrack] { reader.tracks(besidesTrack: track.index) }
    var hasOtherTracks: Bool { !otherTracks.isEmpty }

    /// Returns a line on the tracks that are not in the output; nil if there are none.
    func leftOut(besides passed: Set<Int>) -> String? {
        let others = reader.tracks.filter { $0.index != track.index && !passed.contains($0.index) }
        guard !others.isEmpty else { return nil }
        let names = others.map(Self.title)
        let list = names.indices.filter { names.firstIndex(of: names[$0]) == $0 }.map { index in
            let count = names.count { $0 == names[index] }
            return count > 1 ? "\(names[index]) (\(count) tracks)" : names[index]
        }
        return "left out of \(name): \(list.joined(separator: ", "))"
    }

    /// Returns the name of a track, for example "audio aac". If FFmpeg has no name for the codec, it is the container's
    /// code: "data mebx".
    private static func title(_ track: ReaderTrack) -> String {
        let kind = track.isAttachment ? "attachment" : track.mediaType == .other ? "data" : track.mediaType.rawValue
        guard track.codecName == "none" || track.codecName == "bin_data" else { return "\(kind) \(track.codecName)" }
        // The type of an attachment is that of a file, which need not be media.
        if track.isAttachment { return kind }
        let code = (0..<4).map { UInt8(truncatingIfNeeded: track.codec >> (24 - 8 * $0)) }
        let isText = code.allSatisfy { (0x21...0x7E).contains($0) }
        return isText ? "\(kind) \(String(decoding: code, as: UTF8.self))" : "\(kind) of an unknown kind"
    }

    /// - Parameters:
    ///   - beginning: bytes of the input that were read already.
    ///   - number: the track; nil for the first video track.
    ///   - format: the format of the input; nil to detect it from the content.
    ///   - ignoresEditList: true to read samples that the edit list of an MP4 or MOV hides.
    init(
        _ input: InputFile, beginning: [UInt8] = [], track number: Int? = nil, format: InputFormatArgument? = nil,
        ignoresEditList: Bool = false
    ) throws {
        let reader: Reader
        do throws(NaluError) {
            reader = try Self.reader(input, beginning: beginning, format: format, ignoresEditList: ignoresEditList)
        } catch {
            throw Failure("cannot read \(input.name): \(error.message)")
        }
        if reader.container == .flv, !reader.tracks.contains(where: \.isSelected) {
            let head = try input.path == nil ? beginning : input.firstBytes(1 << 16)
            if let codec = EnhancedFLV(head) {
                throw Failure(
                    "\(input.name) has \(codec.name) video in the form of enhanced RTMP, which the loaded FFmpeg cannot read; expected another container, to which FFmpeg 6.1 and newer copy it"
                )
            }
        }
        try self.init(reader, name: input.name, track: number)
    }

    init(_ reader: Reader, name: String, track number: Int?) throws {
        self.reader = reader
        self.name = name
        track = try Self.choose(reader, number, name: name)
    }

    /// Opens a file for an inspection, which also reads hidden samples.
    static func inspect(_ path: String, name: String, format: InputFormatArgument? = nil) throws(Failure) -> Reader {
        do throws(NaluError) {
            return try Reader(inspecting: path, format: format?.name)
        } catch {
            throw Failure("cannot read \(name): \(error.message)")
        }
    }

    /// Opens a reader. An input that cannot seek is copied to a temporary file if its container needs seeking.
    static func reader(
        _ input: InputFile, beginning: [UInt8] = [], format: InputFormatArgument? = nil, ignoresEditList: Bool = false
    ) throws(NaluError) -> Reader {
        if let path = input.path {
            return try Reader(path: path, format: format?.name, ignoresEditList: ignoresEditList)
        }
        // The input is a pipe, or a file that the shell has opened as standard input.
        let rest = Guarded(beginning[...])
        let descriptor = input.descriptor
        let seek: Reader.SeekFunction = { offset in
            rest.withLock { $0 = [] }
            return lseek(descriptor, off_t(offset), SEEK_SET) < 0 ? errno : 0
        }
        return unsafe try Reader(
            size: input.size, format: format?.name, ignoresEditList: ignoresEditList, spools: true,
            read: { buffer in
                let kept = rest.withLock { rest in
                    let count = min(rest.count, buffer.count)
                    unsafe buffer.copyBytes(from: rest.prefix(count))
                    rest = rest.dropFirst(count)
                    return count
                }
                if kept > 0 { return kept }
                while true {
                    let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                    if count >= 0 { return count }
                    if errno != EINTR { return -Int(errno) }
                }
            }, seek: input.size == nil ? nil : seek)
    }

    private static func choose(_ reader: Reader, _ number: Int?, name: String) throws -> ReaderTrack {
        let tracks = reader.tracks
        let list = tracks.map { "\($0.index) \($0.codecName)" }.joined(separator: ", ")
        guard let number else {
            if let selected = tracks.first(where: \.isSelected) { return selected }
            if let damaged = tracks.first(where: { codecs.contains($0.codecName) }) {
                try select(damaged, of: reader, name: name)
            }
            let found = tracks.isEmpty ? "no track" : "the tracks \(list)"
            let remedy = reader.container.rawValue == "yuv4mpegpipe" ? "; use nalu encode for Y4M" : ""
            throw Failure("\(name) has \(found); expected one with H.264 or H.265 video\(remedy)")
        }
        guard tracks.indices.contains(number) else {
            throw Failure.usage("--track is \(number); \(name) has the tracks \(tracks.isEmpty ? "none" : list)")
        }
        guard tracks[number].isReadable || codecs.contains(tracks[number].codecName) else {
            throw Failure("track \(number) of \(name) is \(tracks[number].codecName); expected H.264 or H.265 video")
        }
        for track in tracks where track.isSelected { try reader.select(track: track.index, false) }
        try select(tracks[number], of: reader, name: name)
        return tracks[number]
    }

    private static let codecs = ["h264", "hevc"]

    /// Selects a track. If it has no samples, the reader throws the reason.
    private static func select(_ track: ReaderTrack, of reader: Reader, name: String) throws(Failure) {
        do throws(NaluError) {
            try reader.select(track: track.index)
        } catch {
            throw Failure("cannot read \(name): \(error.message)")
        }
    }
}
