/// The first bytes of an Opus packet (RFC 6716 3.1), which state its duration.
enum OpusPacket {
    /// The samples per second in which durations are counted, whatever the rate of the encoder's input.
    static let sampleRate = 48000
    /// The most samples of a packet, 120 ms (RFC 6716 3.2.5, R5).
    private static let mostSamples = 5760

    /// Returns the number of samples at ``sampleRate``; nil if the packet is corrupt.
    static func sampleCount(_ bytes: Span<UInt8>) -> Int? {
        guard bytes.count > 0 else { return nil }
        let first = Int(bytes[0])
        let (configuration, code) = (first >> 3, first & 3)
        guard code != 3 || bytes.count > 1 else { return nil }
        let frames = code == 0 ? 1 : code == 3 ? Int(bytes[1] & 0x3F) : 2
        let count = frames * samplesPerFrame(configuration)
        return count > 0 && count <= mostSamples ? count : nil
    }

    /// Returns the number of samples of a frame (RFC 6716, table 2).
    private static func samplesPerFrame(_ configuration: Int) -> Int {
        switch configuration {
        case 0..<12: [480, 960, 1920, 2880][configuration & 3]
        case 12..<16: configuration & 1 == 0 ? 480 : 960
        default: 120 << (configuration & 3)
        }
    }
}
