/// The codecs whose NAL units are read, by the four-character codes of their length-prefixed form.
package enum VideoCodec: UInt32, CaseIterable, Sendable {
    /// 'avc1'.
    case h264 = 0x6176_6331
    /// 'hvc1'.
    case hevc = 0x6876_6331
}
