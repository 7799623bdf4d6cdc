internal import CFFmpeg

/// The video codec of an FLV file in the form of enhanced RTMP, with four characters in place of a number. FFmpeg before
/// 6.1 takes a part of the tag for an old codec's number.
package struct EnhancedFLV {
    /// The name for people, for example "H.265".
    package let name: String
    let id: AVCodecID

    /// Reads the first video tag; nil if it has another form, or is not in these first bytes of a file.
    package init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Array("FLV".utf8)), bytes.count >= 9 else { return nil }
        // The header's size is in its last four bytes, and a size of four bytes follows it and every tag.
        var tag = Self.number(bytes[5..<9]) + 4
        while tag + 16 <= bytes.count {
            if bytes[tag] & 31 == 9 {
                guard bytes[tag + 11] & 0x80 != 0,
                    let found = Self.codecs[String(decoding: bytes[(tag + 12)..<(tag + 16)], as: UTF8.self)]
                else { return nil }
                (name, id) = found
                return
            }
            tag += 11 + Self.number(bytes[(tag + 1)..<(tag + 4)]) + 4
        }
        return nil
    }

    private static let codecs = [
        "hvc1": ("H.265", AV_CODEC_ID_HEVC), "avc1": ("H.264", AV_CODEC_ID_H264), "vvc1": ("H.266", AV_CODEC_ID_VVC),
        "av01": ("AV1", AV_CODEC_ID_AV1), "vp08": ("VP8", AV_CODEC_ID_VP8), "vp09": ("VP9", AV_CODEC_ID_VP9),
    ]

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
