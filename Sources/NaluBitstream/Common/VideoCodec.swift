/// The codecs that the library reads. The raw value is the four-character code of the length-prefixed form.
package enum VideoCodec: UInt32, CaseIterable, Sendable {
    /// H.264, 'avc1'.
    case h264 = 0x6176_6331
    /// H.265, 'hvc1'.
    case hevc = 0x6876_6331
}
