/// The video codecs of FLV files in the form of enhanced RTMP, with four characters in place of a number. FFmpeg takes a
/// part of the tag for an old codec's number.
enum EnhancedFLV {
    /// Returns the name of the codec of the first such tag; nil if there is none in these first bytes of a file.
    static func codec(in bytes: [UInt8]) -> String? {
        guard bytes.starts(with: Array("FLV".utf8)), bytes.count >= 9 else { return nil }
        // The header's size is in its last four bytes, and a size of four bytes follows it and every tag.
        var tag = number(bytes[5..<9]) + 4
        while tag + 16 <= bytes.count {
            if bytes[tag] & 31 == 9 {
                guard bytes[tag + 11] & 0x80 != 0 else { return nil }
                let code = String(decoding: bytes[(tag + 12)..<(tag + 16)], as: UTF8.self)
                return names[code]
            }
            tag += 11 + number(bytes[(tag + 1)..<(tag + 4)]) + 4
        }
        return nil
    }

    private static let names = [
        "hvc1": "H.265", "avc1": "H.264", "vvc1": "H.266", "av01": "AV1", "vp08": "VP8", "vp09": "VP9",
    ]

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
