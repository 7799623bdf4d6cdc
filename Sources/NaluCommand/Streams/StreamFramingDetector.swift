private import Nalu
internal import NaluBitstream

/// Detects the framing of a stream from its first bytes.
enum StreamFramingDetector {
    /// Returns the framing. `bytes` are the first bytes, or all bytes if `isWhole`. Throws an error message if they have
    /// neither framing; for common file types the message names the right command.
    static func detect(
        _ bytes: UnsafeRawBufferPointer, isWhole: Bool, codec: VideoCodec?, name: String
    ) throws(Failure) -> StreamFraming {
        let expected = codec?.name ?? "H.264 or H.265"
        guard unsafe !bytes.isEmpty else { throw Failure("\(name) is empty; expected a stream of \(expected)") }
        if let container = unsafe container(bytes) {
            let remedy =
                container == "Y4M"
                ? "nalu encode FILE -o out.h264 encodes it"
                : "nalu demux FILE out.h264, or out.h265, extracts its video"
            throw Failure(
                "\(name) is \(container == "Y4M" || container == "Matroska" ? "a" : "an") \(container) file; expected a stream of \(expected) without a container; \(remedy)"
            )
        }
        // A length from 256 to 511 looks like a start code, so length prefixes are tried first. Start codes read as
        // lengths do not lead from unit to unit.
        func holdsUnits(_ size: Int) -> Bool {
            VideoCodec.allCases.contains { each in
                guard (codec ?? each) == each else { return false }
                return unsafe Self.holdsUnits(bytes, each, lengthSize: size, isWhole: isWhole)
            }
        }
        if holdsUnits(4) { return .lengthPrefixed(4) }
        if unsafe beginsWithStartCode(bytes) { return .annexB }
        for size in [2, 1] where holdsUnits(size) { return .lengthPrefixed(size) }
        guard let base = bytes.baseAddress,
            unsafe StartCodeScanner.nextStartCode(base, from: 0, count: bytes.count) < bytes.count
        else {
            throw Failure(
                "\(name) is not a stream of \(expected): the first \(bytes.count) bytes have no start code and no valid length prefixes"
            )
        }
        return .annexB
    }

    private static func beginsWithStartCode(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = unsafe bytes.firstIndex(where: { $0 != 0 }) else { return false }
        return unsafe first >= 2 && bytes[first] == 1
    }

    /// Returns true if lengths lead from unit to unit to the end, over valid headers. Lengths of 1 or 2 bytes do so in
    /// many text files, so one unit must be a valid SPS.
    private static func holdsUnits(
        _ bytes: UnsafeRawBufferPointer, _ codec: VideoCodec, lengthSize: Int, isWhole: Bool
    ) -> Bool {
        var offset = 0
        var count = 0
        var hasSequence = lengthSize == 4
        while offset < bytes.count {
            // The last prefix is cut off. A truncated stream is accepted after three valid units.
            guard bytes.count - offset > lengthSize else { return hasSequence && count >= (isWhole ? 3 : 1) }
            var length = 0
            for index in 0..<lengthSize { length = length << 8 | Int(unsafe bytes[offset + index]) }
            let start = offset + lengthSize
            let head = unsafe [UInt8](bytes[start..<min(start + 2, bytes.count)])
            let header = UnitHeader(codec, of: head)
            guard length >= header.size, header.isCommon, count > 0 || header.isOfBase else { return false }
            let isBeyond = length > bytes.count - offset - lengthSize
            // The last unit continues after these bytes.
            if isBeyond { return hasSequence && (isWhole ? count >= 3 : length < 1 << 28) }
            if !hasSequence {
                var detector = CodecDetector()
                detector.add(unsafe [UInt8](bytes[start..<start + min(length, 4096)]))
                hasSequence = detector.proven == codec
            }
            offset += lengthSize + length
            count += 1
        }
        return hasSequence && count > 0
    }

    /// Returns the name of the file type by its first bytes; nil if it may be a stream.
    static func container(_ bytes: UnsafeRawBufferPointer) -> String? {
        func has(_ text: String, at offset: Int) -> Bool {
            unsafe bytes.count >= offset + text.utf8.count && bytes[offset...].starts(with: text.utf8)
        }
        if boxTypes.contains(where: { has($0, at: 4) }) { return "MP4" }
        if unsafe bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return "Matroska" }
        if has("FLV", at: 0) { return "FLV" }
        if has("RIFF", at: 0), has("AVI", at: 8) { return "AVI" }
        if has("YUV4MPEG2", at: 0) { return "Y4M" }
        // Packets of 188 bytes, also with an arrival time before each (192) or a checksum after each (204).
        let isTransport = [(0, 188), (4, 192), (0, 204)].contains { first, size in
            (0...2).allSatisfy { unsafe bytes.count > first + $0 * size && bytes[first + $0 * size] == 0x47 }
        }
        return isTransport ? "MPEG-TS" : nil
    }

    /// The types of boxes with which files and segments begin (ISO/IEC 14496-12 and QuickTime).
    private static let boxTypes = [
        "ftyp", "styp", "moov", "moof", "mdat", "sidx", "ssix", "emsg", "prft", "free", "skip", "wide", "pnot",
    ]

    /// Returns true if these are the first bytes of a stream without a container: its lengths lead from unit to unit,
    /// or it begins with a start code and has a valid parameter set.
    static func isStream(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> Bool {
        guard unsafe container(bytes) == nil,
            let framing = unsafe try? detect(bytes, isWhole: isWhole, codec: nil, name: "")
        else { return false }
        guard framing == .annexB else { return true }
        // A program stream or older video sets the bit that is forbidden_zero_bit here.
        guard unsafe beginsWithStartCode(bytes), let first = unsafe bytes.firstIndex(of: 1), first + 1 < bytes.count,
            unsafe bytes[first + 1] & 0x80 == 0
        else { return false }
        var detector = CodecDetector()
        var scanner = AnnexBScanner { _ in 4096 }
        _ = unsafe try? scanner.take(bytes, isLast: true) { unit in
            if !detector.isDone { detector.add(unit.head) }
        }
        return detector.proven != nil
    }
}

/// The separation of a stream's NAL units.
enum StreamFraming: Equatable {
    case annexB
    /// Big-endian length prefixes of 1, 2 or 4 bytes.
    case lengthPrefixed(Int)

    var name: String {
        switch self {
        case .annexB: "Annex B"
        case .lengthPrefixed(let size): "length-prefixed, \(size) byte\(size == 1 ? "" : "s")"
        }
    }
}
