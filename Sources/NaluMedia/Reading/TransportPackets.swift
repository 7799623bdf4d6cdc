/// Recognises a transport stream by its packets alone (ISO/IEC 13818-1, 2.4.3.2).
///
/// libavformat (mpegts.c, mpegts_probe) trusts ten packets and more; of fewer it says next to nothing, and other demuxers
/// find their own in them, such as that of program streams in the headers of PES packets.
enum TransportPackets {
    /// The bytes from one packet to the next, and those before its sync byte: plain packets, those with the time of their
    /// arrival before them or after, and those with 16 bytes of Reed-Solomon code.
    private static let forms: [(length: Int, lead: Int)] = [(188, 0), (192, 4), (192, 0), (204, 0)]
    private static let headerLength = 4
    /// As many packets do not come by chance.
    private static let fewest = 3

    /// Whether all of the bytes are packets; the last one may be cut off.
    static func fill(_ bytes: UnsafeRawBufferPointer) -> Bool {
        forms.contains { form in
            var count = 0
            var place = form.lead
            while place + headerLength <= bytes.count {
                guard unsafe isHeader(UnsafeRawBufferPointer(rebasing: bytes[place..<place + headerLength])) else {
                    return false
                }
                count += 1
                place += form.length
            }
            return count >= fewest
        }
    }

    /// A sync byte, no error in transmission, and an adaptation_field_control that is not reserved.
    private static func isHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes[0] == 0x47 && bytes[1] & 0x80 == 0 && bytes[3] & 0x30 != 0
    }
}
