import Testing

@testable import Nalu

/// The public interface with the real encoder: small clips, examined by NAL unit.
@Suite struct CompressionSessionTests {
    /// The example in the type's documentation.
    @Test func theExampleWorksAsWritten() throws {
        let stream = Guarded<[UInt8]>([])
        @Sendable func write(_ bytes: [UInt8]) { stream.withLock { $0 += bytes } }
        let buffer = try PixelBuffer(filled: 90, .bgra, 1280, 720)

        let session = try CompressionSession(width: 1280, height: 720) { frame in
            if let sample = frame.sample { write(sample.annexB()) }
        }
        try session.set(.averageBitRate, 2_000_000)
        try session.encode(buffer, presentationTime: MediaTime(value: 0, timescale: 30))
        try session.complete()

        let bytes = stream.withLock { $0 }
        #expect(Array(bytes.prefix(5)) == [0, 0, 0, 1, 0x67])
    }
}
