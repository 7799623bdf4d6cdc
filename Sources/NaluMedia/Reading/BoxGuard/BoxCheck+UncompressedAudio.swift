/// Uncompressed audio (ISO/IEC 23003-5).
extension BoxCheck {
    /// Describes integer samples as QuickTime does, because libavformat 59 takes all of them for big-endian ones
    /// of 16 bits. It leaves out the track of an unknown type.
    ///
    /// - Parameters:
    ///   - place: the offset of a sample entry `ipcm`.
    ///   - end: the offset of its end.
    func describeUncompressedAudio(_ place: Int64, _ end: Int64) {
        guard let channels = short(place + 24) else { return }
        var at = place + 36
        var format: (type: BoxType, bits: UInt8) = ("\0\0\0\0", 0)
        while let box = box(at: at, within: end), box.end > at {
            if box.type == "pcmC", let flags = byte(box.body + 4), let bits = byte(box.body + 5) {
                if [16, 24, 32].contains(bits) { format = (flags & 1 != 0 ? "sowt" : "twos", bits) }
                break
            }
            at = box.end
        }
        ledger.correctEntry(at: place + 4, to: format.type.code)
        ledger.correctEntry(at: place + 24, to: UInt32(channels) << 16 | UInt32(format.bits))
    }
}
