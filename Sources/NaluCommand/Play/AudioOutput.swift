internal import CSDL
internal import Nalu
internal import NaluBase
internal import NaluMedia

/// The default audio device. It plays decoded audio in step with a timebase that follows ``clock``.
///
/// `@unchecked Sendable`: `device` changes before any other thread has the object, and in ``close()``.
@safe
final class AudioOutput: @unchecked Sendable {
    static let sampleRate = 48_000

    private struct State {
        var clock: AudioClock
        var ring = AudioRing(sampleRate: AudioOutput.sampleRate, seconds: 10)
        /// The timebase of the pictures; nil for silence.
        var playback: Timebase?
        /// The time of the next frame that the device gets, in seconds; nil after silence.
        var next: Double?
        /// The frames that were played, without silence.
        var playedCount = 0
    }

    private let state: Guarded<State>
    private var device: OpaquePointer?
    /// The seconds from the request for a frame to its playback: the duration of the device's buffer.
    private var latency = 0.0
    /// The clock of the device.
    let clock: Timebase

    /// The offset from the pictures in seconds at which the audio jumps. A smaller offset is not noticed
    /// (ITU-R BT.1359-1).
    private static let mostOffset = 0.04
    /// The rates at which audio is audible, higher or lower than it was recorded.
    private static let audibleRates = 0.5...2.0

    /// Opens the device. Throws if there is none.
    init() throws(Failure) {
        try PictureWindow.loadLibrary()
        do throws(NaluError) {
            let clock = try AudioClock(sampleRate: Self.sampleRate)
            self.clock = clock.timebase
            state = Guarded(State(clock: clock))
        } catch {
            throw Failure(error.message)
        }
        var made: OpaquePointer?
        let refcon = unsafe Unmanaged.passUnretained(self).toOpaque()
        let message = unsafe CText.written(512) { buffer, capacity in
            unsafe made = nalu_audio_open(
                Int32(Self.sampleRate),
                { refcon, frames, count in
                    guard let refcon = unsafe refcon, let frames = unsafe frames else { return }
                    let output = unsafe Unmanaged<AudioOutput>.fromOpaque(refcon).takeUnretainedValue()
                    unsafe output.fill(UnsafeMutableBufferPointer(start: frames, count: 2 * Int(count)))
                }, refcon, buffer, capacity)
        }
        guard let made = unsafe made else { throw Failure("there is no audio device (\(message))") }
        unsafe device = made
        let size = unsafe nalu_audio_buffer_size(made)
        let isDummy = unsafe String(cString: nalu_audio_driver()) == "dummy"
        latency = Double(size) / Double(Self.sampleRate)
        // This driver discards the audio, up to 30 % faster than its rate.
        if isDummy { state.withLock { $0.clock.isMaster = false } }
    }

    deinit { close() }

    /// Closes the device. The device requests no frame afterwards.
    func close() {
        let closed = unsafe device
        unsafe device = nil
        unsafe nalu_audio_close(closed)
    }

    /// Sets the timebase of the pictures.
    func follow(_ timebase: Timebase) { state.withLock { $0.playback = timebase } }

    /// Adds decoded audio.
    func add(_ block: DecodedAudioBlock) { state.withLock { $0.ring.append(block) } }

    /// Discards the waiting audio, before a seek.
    func flush() {
        state.withLock { state in
            state.ring.removeAll()
            state.next = nil
        }
    }

    /// The presentation time after the last frame that waits, in seconds; nil if none waits.
    var end: Double? { state.withLock { $0.ring.count > 0 ? $0.ring.end : nil } }

    /// The duration of the audio that was played, in seconds.
    var seconds: Double { state.withLock { Double($0.playedCount) / Double(Self.sampleRate) } }

    /// Fills a buffer of the device.
    private func fill(_ frames: UnsafeMutableBufferPointer<Float>) {
        state.withLock { state in
            state.clock.note(frames: frames.count / 2)
            let (time, rate) = state.playback?.timeAndRate ?? (.zero, 0)
            guard Self.audibleRates.contains(rate), state.ring.count > 0 else {
                unsafe frames.update(repeating: 0)
                state.next = nil
                return
            }
            let due = time.seconds + latency * rate
            if let next = state.next, (next - due).magnitude > Self.mostOffset { state.next = nil }
            state.next = unsafe state.ring.read(frames, from: state.next ?? due, rate: rate)
            state.playedCount += frames.count / 2
        }
    }
}
