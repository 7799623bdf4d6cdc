internal import Nalu
internal import NaluBase

/// A moving picture with a frame counter and a clock (``TestPicture``), and a tone with a beep each second
/// (``TestTone``). Both follow the host clock without drift: picture n is due n frame durations after the first one. A
/// picture that would be late by a whole frame duration is skipped, and the counter counts it.
struct TestSource: CaptureSource {
    private let request: CaptureRequest
    private let width: Int
    private let height: Int
    private let frameDuration: MediaTime
    /// The audio frames per host second, as a multiple of the nominal sample rate.
    private let audioClock: Double

    init(_ request: CaptureRequest, width: Int, height: Int, audioClock: Double) {
        self.request = request
        self.width = width
        self.height = height
        self.audioClock = audioClock
        frameDuration = request.frameDuration ?? MediaTime(value: 1, timescale: 30)
    }

    func run(_ sink: CaptureSink) throws(NaluError) {
        let format: PixelFormat = request.pixelFormat == .i420 ? .i420 : .nv12
        let audioFormat = CaptureAudioFormat(sampleRate: request.sampleRate, channelCount: request.channelCount ?? 2)
        let picture = try TestPicture(format, width: width, height: height)
        var tone = TestTone(audioFormat, clock: audioClock)
        try sink.begin(
            video: CaptureVideoFormat(format, width: width, height: height, frameDuration: frameDuration),
            audio: audioFormat)

        var pace = FramePace(frameDuration)
        let start = pace.start
        while true {
            let frameTime = request.wantsVideo ? pace.nextTime : Int64.max
            let audioTime = request.wantsAudio ? start + tone.endOfBlock : Int64.max
            guard sink.sleep(until: min(frameTime, audioTime)) else { return }
            let now = MonotonicClock.nanoseconds
            if audioTime <= now {
                if now - audioTime > 1_000_000_000 {
                    sink.noteLostAudio(tone.skip(to: now - start))
                } else {
                    unsafe tone.withNextBlock { samples, time in unsafe sink.deliver(audio: samples, at: start + time) }
                }
            }
            guard frameTime <= now else { continue }
            sink.noteMissed(pace.advance(to: now))
            let current = pace.number - 1
            let captured = start + pace.time(ofFrame: current)
            if let buffer = try sink.makeBuffer() {
                picture.draw(
                    to: buffer.view, number: current, milliseconds: UInt32(truncatingIfNeeded: captured / 1_000_000),
                    isBeeping: TestTone.isBeep(at: captured - start))
                try sink.deliver(buffer, at: captured)
            }
        }
    }
}
