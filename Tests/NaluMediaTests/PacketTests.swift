import Testing

@testable import NaluMedia

@Suite("Packets of FFmpeg")
struct PacketTests {
    /// A demuxer may return a packet without memory.
    @Test("An empty packet has no bytes")
    func anEmptyPacketHasNoBytes() throws {
        try FFmpegLibraries.load()
        #expect(try Packet().withBytes { $0.count } == 0)
    }
}
