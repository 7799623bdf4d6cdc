import Nalu
import NaluBase
import Testing

@testable import NaluCommand
@testable import NaluMedia

@Suite struct CaptureAudioTests {
    /// Notes the end of the audio.
    private final class Sink: AudioSink {
        let end = Guarded(0.0)

        func write(_ sample: Sample) -> Int { 0 }
        func finish() {}
        func addAudio(_ format: FormatDescription) {}
        func writeAudio(_ sample: Sample) {
            end.withLock { $0 = max($0, (sample.presentationTime + sample.duration).seconds) }
        }
    }

    private static let rate = 48_000

    /// Hands in half a second of audio in blocks of 10 ms.
    private func record(_ audio: CaptureAudio, from start: Double) throws {
        let samples = [Float](repeating: 0.1, count: Self.rate / 100)
        for index in 0..<50 {
            let time = MediaTime(seconds: start + Double(index) / 100, preferredTimescale: 1_000_000_000)
            try unsafe samples.withUnsafeBufferPointer { samples in
                try unsafe audio.take(
                    CaptureSession.AudioBlock(
                        samples: samples, frameCount: samples.count, sampleRate: Self.rate, channelCount: 1, time: time,
                        isDiscontinuous: index == 0))
            }
        }
    }

    @Test(arguments: [4.0, 12.0, 61.3])
    func audioContinuesAfterAPauseOfTheProcess(pause: Double) throws {
        let (audio, sink) = (CaptureAudio(device: "test", duration: nil), Sink())
        try audio.begin(CaptureAudioFormat(sampleRate: Self.rate, channelCount: 1), sink)
        audio.start(at: MediaTime(value: 100, timescale: 1))
        try record(audio, from: 100)
        try record(audio, from: 100.5 + pause)
        try audio.finish()
        #expect(abs(sink.end.withLock { $0 } - 1 - pause) < 0.1)
        #expect(abs(audio.seconds - 1) < 0.001)
        #expect(audio.summary(lost: 0).contains("of silence"))
    }
}
