internal import CFFmpeg
public import Nalu
public import NaluBase

/// Encodes interleaved PCM as AAC-LC, in step with the host clock.
///
///     let encoder = try AudioEncoder(sampleRate: 48_000, channelCount: 2)
///     let track = try writer.addTrack(encoder.formatDescription)
///     try encoder.encode(buffer, time: time)      // for each buffer, with the host time of its first frame
///     while let sample = encoder.nextSample() { try writer.write(sample, to: track) }
///
/// A frame is one value for each channel. A sample is one packet of up to 1024 frames, and its presentation time is the
/// host time at which its frames were captured. The first sample precedes the first captured frame by 1024 frames, the
/// encoder's priming.
///
/// The clock of an audio device runs faster or slower than the host clock. The encoder compares the times of the
/// buffers with the number of frames, and resamples the audio so that it stays within 20 ms of the host clock. If a
/// buffer begins more than 15 ms after the end of the audio so far, it is held until later buffers decide. If they are
/// late by the same time, frames are missing, and silence takes their place. If they are in time, nothing is inserted.
/// In the same way, frames that the device delivers twice are left out.
///
/// Any thread may call any function; calls on one encoder run one after the other. The corresponding C type is
/// `nalu_audio_encoder`, whose header has the order of the channels.
public final class AudioEncoder: Sendable {
    /// The format description of the samples, for ``Writer/addTrack(_:options:)``.
    public let formatDescription: FormatDescription
    private let state: Guarded<AudioEncoderState>
    private let channelCount: Int

    /// The sample rates of AAC (ISO/IEC 14496-3 table 1.18).
    public static let sampleRates = [
        7350, 8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
    ]
    /// The most frames in one call.
    package static let mostFrames = 1 << 24

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - sampleRate: one of ``sampleRates``.
    ///   - channelCount: 1 to 8.
    ///   - bitRate: the average bit rate in bits per second: from 8000 to 6 times the sample rate, each times the number
    ///     of channels; 0 for 1.5 times the sample rate for each channel.
    ///
    /// Throws `.outOfRange`; `.couldNotCreateInstance` if FFmpeg cannot be loaded or has no encoder of AAC.
    public convenience init(sampleRate: Int, channelCount: Int, bitRate: Int = 0) throws(NaluError) {
        try self.init(sampleRate: sampleRate, channelCount: channelCount, bitRate: bitRate, spelling: .ofProcess)
    }

    package init(sampleRate: Int, channelCount: Int, bitRate: Int, spelling: Spelling) throws(NaluError) {
        guard Self.sampleRates.contains(sampleRate) else {
            throw NaluError(
                .outOfRange,
                "\(spelling.sampleRate) is \(sampleRate); expected one of \(Self.sampleRates.map(String.init).joined(separator: ", ")) Hz"
            )
        }
        guard 1...8 ~= channelCount else {
            throw NaluError(.outOfRange, "\(spelling.channelCount) is \(channelCount); expected 1 to 8")
        }
        let range = 8000 * channelCount...6 * sampleRate * channelCount
        guard bitRate == 0 || range.contains(bitRate) else {
            throw NaluError(
                .outOfRange,
                "\(spelling.audioBitRate) is \(bitRate); expected \(range.lowerBound) to \(range.upperBound) for \(sampleRate) Hz and \(channelCount) channels, or 0"
            )
        }
        let encoder = try FloatEnvironment.hidden { () throws(NaluError) in
            try AACEncoder(
                sampleRate: Int32(sampleRate), channelCount: Int32(channelCount),
                bitRate: Int64(bitRate == 0 ? max(sampleRate * channelCount * 3 / 2, range.lowerBound) : bitRate))
        }
        let audio = AudioFormat(sampleRate: sampleRate, channelCount: channelCount)
        formatDescription = FormatDescription(aac: encoder.configuration, audio)
        self.channelCount = channelCount
        state = Guarded(AudioEncoderState(encoder, formatDescription, audio))
    }

    /// Encodes the next frames.
    ///
    /// - Parameter time: the host time of the first frame. After the first call the invalid time means that the frames
    ///   follow those of the previous call.
    ///
    /// Throws `.parameter` if the number of values is no multiple of the number of channels; `.invalidTime` for a time
    /// that is not numeric, or more than 10 seconds from the end of the previous frames; `.outOfOrder` if the encoder is
    /// finished; `.encoderMalfunction`.
    public func encode(_ frames: Span<Int16>, time: MediaTime = .invalid) throws(NaluError) {
        let count = try frameCount(frames.count)
        try unsafe frames.withUnsafeBytes { (bytes) throws(NaluError) in
            try unsafe encode(bytes.baseAddress, count, .int16, time)
        }
    }

    /// Encodes the next frames. Throws as ``encode(_:time:)-(Span<Int16>,_)`` does.
    public func encode(_ frames: Span<Float>, time: MediaTime = .invalid) throws(NaluError) {
        let count = try frameCount(frames.count)
        try unsafe frames.withUnsafeBytes { (bytes) throws(NaluError) in
            try unsafe encode(bytes.baseAddress, count, .float32, time)
        }
    }

    private func frameCount(_ values: Int) throws(NaluError) -> Int {
        guard values % channelCount == 0 else {
            throw NaluError(.parameter, "frames has \(values) values; expected a multiple of \(channelCount)")
        }
        return values / channelCount
    }

    /// Encodes `count` interleaved frames; `start` may be nil if there are none.
    package func encode(
        _ start: UnsafeRawPointer?, _ count: Int, _ type: AudioValueType, _ time: MediaTime
    ) throws(NaluError) {
        guard 0...Self.mostFrames ~= count else {
            throw NaluError(
                .outOfRange, "frame_count is \(UInt(bitPattern: count)); expected at most \(Self.mostFrames)")
        }
        guard let start = unsafe start, count > 0 else { return }
        try state.withLock { (state) throws(NaluError) in
            try FloatEnvironment.hidden { () throws(NaluError) in
                try unsafe state.encode(start, count, type, time)
            }
        }
    }

    /// Takes the next sample; nil if more frames are needed, or after the last sample.
    public func nextSample() -> Sample? { state.withLock { $0.next() } }

    /// Encodes the frames that wait for a full packet. Nothing can be encoded afterwards; a second call does nothing.
    ///
    /// Throws `.encoderMalfunction`.
    public func finish() throws(NaluError) {
        try state.withLock { (state) throws(NaluError) in
            try FloatEnvironment.hidden { () throws(NaluError) in try state.finish() }
        }
    }

    /// The corrections so far.
    public var counts: AudioEncoderCounts { state.withLock { $0.counts } }
}

/// The corrections of an ``AudioEncoder`` so far.
public struct AudioEncoderCounts: Sendable, Equatable {
    /// The frames that were passed to the encoder.
    public internal(set) var framesIn: UInt64 = 0
    /// The frames that were encoded, at the rate of the host clock.
    public internal(set) var framesOut: UInt64 = 0
    /// The frames of silence in place of missing ones.
    public internal(set) var insertedFrames: UInt64 = 0
    /// The frames that were left out because others were encoded for the same time.
    public internal(set) var droppedFrames: UInt64 = 0
    /// The mean difference between the host clock and the encoded audio in the last half second, in seconds; positive
    /// if the audio is early.
    public internal(set) var offset = 0.0

    init() {}
}

/// The type of a PCM value, in the byte order of the machine.
public enum AudioValueType: UInt32, Sendable {
    /// -32768 to 32767.
    case int16 = 1
    /// -1 to 1. Values beyond are limited, and NaN is silence.
    case float32 = 2

    /// The number of bytes.
    package var size: Int { self == .int16 ? 2 : 4 }
}
