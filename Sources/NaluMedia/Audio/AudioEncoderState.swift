internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// The work of an ``AudioEncoder``, one call at a time.
///
/// `@unchecked Sendable`: used only with the encoder's lock held.
@safe
final class AudioEncoderState: @unchecked Sendable {
    private let encoder: AACEncoder
    private let format: FormatDescription
    private let audio: AudioFormat
    /// The resampler for the type of the last frames.
    private var resampler: (type: AudioValueType, AudioResampler)?
    private var drift: ClockDrift
    /// The host time of the first frame, in units of one frame.
    private var origin: MediaTime?
    /// The number of samples in the encoder's present frame.
    private var filled: Int32 = 0
    /// The number of coming frames to drop, because frames for the same time were encoded already.
    private var excess = 0
    private var isFinished = false
    private var samples = RingBuffer<Sample>(capacity: 8)
    /// Memory for the values of one conversion, limited to -1...1.
    private var scratch: [Float]
    private(set) var counts = AudioEncoderCounts()

    /// The longest distance in seconds between the end of the frames and the time of the next ones.
    private static let longestJump = 10.0

    init(_ encoder: AACEncoder, _ format: FormatDescription, _ audio: AudioFormat) {
        self.encoder = encoder
        self.format = format
        self.audio = audio
        drift = ClockDrift(sampleRate: audio.sampleRate)
        scratch = [Float](repeating: 0, count: AudioResampler.mostFrames * audio.channelCount)
    }

    func next() -> Sample? { samples.popFirst() }

    // MARK: - Encoding

    /// Encodes frames from memory, which has `count` interleaved frames of this type.
    func encode(
        _ start: UnsafeRawPointer, _ count: Int, _ type: AudioValueType, _ time: MediaTime
    ) throws(NaluError) {
        guard !isFinished else { throw NaluError(.outOfOrder, "the audio encoder is finished; expected a new one") }
        let first = try place(time)
        guard count > 0 else { return }
        let resampler = try resampler(for: type)
        if origin == nil { origin = first }
        if let origin, time.isValid { try follow(offset(of: time, origin, resampler), count, resampler) }
        counts.framesIn &+= UInt64(count)
        let dropped = min(excess, count)
        excess -= dropped
        counts.droppedFrames &+= UInt64(dropped)
        var (rest, place) = unsafe (count - dropped, start + dropped * type.size * audio.channelCount)
        while rest > 0 {
            let part = min(rest, AudioResampler.mostFrames)
            switch type {
            case .int16: try unsafe convert(place, part, resampler)
            case .float32:
                unsafe limit(place, part * audio.channelCount)
                try convertScratch(part, resampler)
            }
            unsafe place += part * type.size * audio.channelCount
            rest -= part
        }
    }

    /// Returns the time in units of one frame. Throws if it cannot be the time of the next frames.
    private func place(_ time: MediaTime) throws(NaluError) -> MediaTime {
        if let origin, !time.isValid { return origin }
        let first = time.converted(toTimescale: Int32(clamping: audio.sampleRate))
        guard time.isNumeric, first.isNumeric, Int(first.timescale) == audio.sampleRate, first.value.magnitude < 1 << 60
        else {
            throw NaluError(
                .invalidTime, "time is \(time); expected a numeric time of at most \(1 << 40) seconds")
        }
        guard let origin, let resampler else { return first }
        let offset = offset(of: time, origin, resampler.1)
        guard offset.magnitude <= Self.longestJump else {
            throw NaluError(
                .invalidTime,
                "time is \(time.secondsText) s, \(MediaTime(seconds: offset, preferredTimescale: 1000).secondsText) s from the end of the previous frames; expected at most 10 s, or a new encoder"
            )
        }
        return first
    }

    /// The host time of the next frames, without those that will be left out, less the time at which they will be
    /// placed, in seconds.
    private func offset(of time: MediaTime, _ origin: MediaTime, _ resampler: AudioResampler) -> Double {
        let placed = Double(encoder.sentCount + Int64(filled)) / Double(audio.sampleRate) + resampler.delay
        return (time - origin).seconds + Double(excess) / Double(audio.sampleRate) - placed
    }

    private func follow(_ offset: Double, _ count: Int, _ resampler: AudioResampler) throws(NaluError) {
        switch drift.note(offset: offset, frames: count) {
        case nil: return
        case .resample(let frames):
            try AACEncoder.check(resampler.compensate(frames, over: drift.window))
        case .jump(let frames):
            // The offset counts the frames that are still to be dropped as dropped already.
            let shift = frames - excess
            excess = max(0, -shift)
            try insertSilence(max(0, shift), resampler)
        }
    }

    private func insertSilence(_ count: Int, _ resampler: AudioResampler) throws(NaluError) {
        guard count > 0 else { return }
        // Zero bytes are silence in both types.
        for index in scratch.indices { scratch[index] = 0 }
        var rest = count
        while rest > 0 {
            let part = min(rest, AudioResampler.mostFrames)
            try convertScratch(part, resampler)
            rest -= part
        }
        counts.insertedFrames &+= UInt64(count)
    }

    private func resampler(for type: AudioValueType) throws(NaluError) -> AudioResampler {
        if let resampler, resampler.type == type { return resampler.1 }
        if let before = resampler?.1 { try drain(before) }
        let made = try AudioResampler(
            encoder.layout, sampleRate: Int32(clamping: audio.sampleRate), isFloat: type == .float32)
        resampler = (type, made)
        return made
    }

    /// Copies values to ``scratch``, limited to -1...1.
    private func limit(_ start: UnsafeRawPointer, _ count: Int) {
        for index in 0..<count {
            // A client's values need not be aligned.
            let value = unsafe start.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
            scratch[index] = value.isNaN ? 0 : min(max(value, -1), 1)
        }
    }

    private func convertScratch(_ count: Int, _ resampler: AudioResampler) throws(NaluError) {
        let scratch = scratch
        try unsafe scratch.span.withUnsafeBytes { (bytes) throws(NaluError) in
            guard let start = bytes.baseAddress else { return }
            try unsafe convert(start, count, resampler)
        }
    }

    private func convert(
        _ start: UnsafeRawPointer, _ count: Int, _ resampler: AudioResampler
    ) throws(NaluError) {
        var rest = count
        while true {
            if filled == 0 { try encoder.prepareFrame() }
            let room = AACEncoder.frameSize - filled
            let written = unsafe resampler.convert(start, rest, into: encoder.frame, filled: filled, room: room)
            try AACEncoder.check(written)
            rest = 0
            filled += written
            guard filled == AACEncoder.frameSize else { return }
            try sendFrame()
        }
    }

    private func sendFrame() throws(NaluError) {
        let count = filled
        filled = 0
        try encoder.send(count) { (packet) throws(NaluError) in try append(packet) }
        counts.framesOut = UInt64(clamping: encoder.sentCount)
        counts.offset = drift.offset
    }

    private func append(_ packet: Packet) throws(NaluError) {
        guard let origin else { return }
        let rate = Int32(clamping: audio.sampleRate)
        let time = MediaTime(value: origin.value &+ packet.presentation, timescale: rate)
        let duration = MediaTime(value: max(packet.duration, 0), timescale: rate)
        guard let memory = BufferReference(takenFrom: packet) else {
            throw NaluError(.allocationFailed, "no memory for an audio sample")
        }
        samples.append(
            unsafe try Sample(
                checked: memory.bytes, of: memory, formatDescription: format, presentationTime: time,
                duration: duration, decodeTime: time, attachments: [], slices: nil))
    }

    // MARK: - The end

    func finish() throws(NaluError) {
        guard !isFinished else { return }
        isFinished = true
        guard let resampler, origin != nil else { return }
        try drain(resampler.1)
        if filled > 0 { try sendFrame() }
        try encoder.finish { (packet) throws(NaluError) in try append(packet) }
    }

    /// Takes the frames that wait in a resampler.
    private func drain(_ resampler: AudioResampler) throws(NaluError) {
        while true {
            if filled == 0 { try encoder.prepareFrame() }
            let room = AACEncoder.frameSize - filled
            let written = resampler.flush(into: encoder.frame, filled: filled, room: room)
            try AACEncoder.check(written)
            filled += written
            guard filled == AACEncoder.frameSize else { return }
            try sendFrame()
        }
    }
}
