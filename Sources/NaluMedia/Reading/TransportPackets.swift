/// Recognises a transport stream by its packets alone (ISO/IEC 13818-1, 2.4.3.2).
///
/// libavformat (mpegts.c, mpegts_probe) accepts ten packets or more, and assigns fewer a very low score. Other demuxers
/// then find their own format in the bytes: for example, that of program streams in the headers of PES packets.
enum TransportPackets {
    /// The distance between two packets and the number of bytes before a sync byte, for each form. The forms are plain
    /// packets, packets with their arrival time before or after them, and packets with 16 bytes of Reed-Solomon code.
    private static let forms: [(length: Int, lead: Int)] = [(188, 0), (192, 4), (192, 0), (204, 0)]
    private static let headerLength = 4
    /// The smallest number of packets that cannot occur by chance.
    private static let fewest = 3

    /// Returns whether all of the bytes are packets; the last one may be cut off.
    static func fill(_ bytes: [UInt8]) -> Bool {
        forms.contains { form in
            var count = 0
            var place = form.lead
            while place + headerLength <= bytes.count {
                guard isHeader(bytes[place..<place + headerLength]) else { return false }
                count += 1
                place += form.length
            }
            return count >= fewest
        }
    }

    /// Returns whether a packet header has a sync byte, no transport error, and an adaptation_field_control that is not
    /// reserved.
    private static func isHeader(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = bytes.startIndex
        return bytes[start] == 0x47 && bytes[start + 1] & 0x80 == 0 && bytes[start + 3] & 0x30 != 0
    }
}
