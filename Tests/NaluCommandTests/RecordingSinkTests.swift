import Nalu
import NaluBase
import Testing

@testable import NaluCommand
@testable import NaluMedia

@Suite struct RecordingSinkTests {
    /// A file that accepts all samples and later refuses all but two of them.
    private final class Refusing: AudioSink {
        func write(_ sample: Sample) -> Int { 0 }
        func finish() {}
        func addAudio(_ format: FormatDescription) {}
        func writeAudio(_ sample: Sample) {}
        func corrected(_ counts: RunCounts) -> RunCounts {
            var counts = counts
            (counts.frames, counts.keyFrames) = (2, 1)
            return counts
        }
    }

    @Test func theSummaryHasTheFramesOfTheFile() throws {
        // UDP needs no receiver.
        let address = try OutputFile(
            path: "udp://127.0.0.1:9", replaces: false, input: nil, container: OutputContainer(kind: .mpegTS),
            allowsAddress: true)
        let publishing = try #require(try PublishSink(to: address, hasRate: false, isRecorded: true))
        let writer = StreamWriter(RecordingSink(publishing, recording: Refusing())) {}
        let session = try CompressionSession(width: 64, height: 48) { writer.take($0) }
        try session.set(.maxFrameDelayCount, 0)
        let frame = try PixelBuffer(format: .i420, width: 64, height: 48)
        for number in 0..<5 {
            try session.encode(
                frame, presentationTime: MediaTime(value: Int64(number), timescale: 25), duration: .invalid)
        }
        try session.complete()
        #expect(writer.counts.frames == 5)
        #expect(writer.finalCounts.frames == 2)
        #expect(writer.finalCounts.keyFrames == 1)
    }
}
