internal import Nalu

/// The first line of a YUV4MPEG2 stream.
///
/// The tags are those of the manual page yuv4mpeg(5) of mjpegtools, and XCOLORRANGE as FFmpeg and x264 write it.
enum Y4MHeader {
    static let magic = "YUV4MPEG2"
    /// The longest valid line in bytes. Comments may have any length, but a longer line is corrupt.
    static let longest = 4096

    /// - Parameters:
    ///   - line: the line without its newline.
    ///   - range: the sample range that replaces the line's; nil to use the line's.
    static func facts(of line: String, name: String, range: PixelRange?) throws(Failure) -> VideoFacts {
        var size: [Character: Int] = [:]
        var colour: Substring?
        var oldColour: Substring?
        var isFullRange = false
        var facts = VideoFacts(width: 0, height: 0, format: .i420)
        for tag in line.split(separator: " ").dropFirst() {
            let value = tag.dropFirst()
            switch tag.first {
            case "W", "H":
                guard let number = Int(value), number > 0 else { throw damaged(name, tag, "a positive number") }
                size[tag[tag.startIndex]] = number
            case "F":
                facts.frameRate = ratio(value).flatMap { RationalFrameRate($0.0, $0.1) }
            case "I":
                facts.fields = try fields(value, name: name)
            case "A":
                if let (horizontal, vertical) = ratio(value), horizontal > 0, vertical > 0 {
                    facts.pixelAspectRatio = (horizontal, vertical)
                }
            case "C": colour = value
            case "X":
                if value.hasPrefix("YSCSS=") { oldColour = value.dropFirst(6) }
                if value == "COLORRANGE=FULL" { isFullRange = true }
            default: break
            }
        }
        guard let width = size["W"], let height = size["H"] else {
            throw Failure(
                "the first line of \(name) is corrupt: it has no \(size["W"] == nil ? "width" : "height")")
        }
        facts.width = width
        facts.height = height
        if let range { isFullRange = range == .full }
        try setFormat(&facts, String(colour ?? oldColour ?? "420jpeg").lowercased(), isFullRange, name: name)
        // For fields, the chroma tags mean other places, which nothing here computes.
        if facts.fields != nil { facts.chromaLocation = nil }
        return facts
    }

    private static func setFormat(
        _ facts: inout VideoFacts, _ colour: String, _ isFullRange: Bool, name: String
    ) throws(Failure) {
        switch colour {
        case "420", "420jpeg", "420mpeg2", "420paldv":
            facts.format = isFullRange ? .i420FullRange : .i420
            facts.chromaLocation = colour == "420mpeg2" ? 0 : colour == "420paldv" ? 2 : 1
        case "mono":
            facts.format = isFullRange ? .i420FullRange : .i420
            facts.packing = .lumaOnly
        case "420p10", "mono10":
            facts.format = isFullRange ? .x420FullRange : .x420
            facts.packing = colour == "mono10" ? .luma10 : .planar10
        default:
            throw Failure(
                "\(name) has the pixel format C\(NaluError.excerpt(colour)), which is not supported; convert it to 4:2:0 with 8 or 10 "
                    + "bits, for example with ffmpeg -pix_fmt yuv420p")
        }
    }

    private static func fields(_ value: Substring, name: String) throws(Failure) -> VideoFacts.FieldOrder? {
        switch value {
        case "t": return .topFirst
        case "b": return .bottomFirst
        case "m":
            throw Failure(
                "\(name) mixes interlaced and progressive frames (Im), which cannot be encoded; deinterlace them, "
                    + "for example with ffmpeg -vf bwdif")
        // An unknown or unspecified order counts as progressive.
        default: return nil
        }
    }

    /// Parses a ratio, "30000:1001". Returns nil for "0:0" too, which means unknown.
    private static func ratio(_ text: Substring) -> (Int, Int)? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let first = Int(parts[0]), let second = Int(parts[1]) else { return nil }
        return (first, second)
    }

    private static func damaged(_ name: String, _ tag: Substring, _ expected: String) -> Failure {
        Failure("the first line of \(name) has \"\(NaluError.excerpt(String(tag)))\" where \(expected) is expected")
    }
}
