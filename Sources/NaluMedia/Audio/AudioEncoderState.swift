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
    private var gaps: GapDetector
    /// The blocks that wait for the decision whether audio is missing before them.
    private var held: [HeldBlock] = []
    private var heldFrames = 0
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

    private struct HeldBlock {
        let bytes: [UInt8]
        let count: Int
        let type: AudioValueType
        /// The time of the block less the time at which it will be placed if no audio is missing, in seconds.
        let offset: Double
    }

    /// The longest distance in seconds between the end of the frames and the time of the next ones.
    private static let longestJump = 10.0

    init(_ encoder: AACEncoder, _ format: FormatDescription, _ audio: AudioFormat) {
        self.encoder = encoder
        self.format = format
        self.audio = audio
        drift = ClockDrift(sampleRate: audio.sampleRate)
        gaps = GapDetector(sampleRate: audio.sampleRate)
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
        let origin = origin ?? first
        self.origin = origin
        counts.framesIn &+= UInt64(count)
        // A block without a time follows the one before it.
        guard let offset = time.isValid ? offset(of: time, origin) : held.last?.offset else {
            return try unsafe encode(start, count, type, offset: nil)
        }
        let verdict = gaps.note(offset: offset, frames: count)
        guard verdict != .continuous else {
            try release([])
            return try unsafe encode(start, count, type, offset: offset)
        }
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count * type.size * audio.channelCount))
        held.append(HeldBlock(bytes: bytes, count: count, type: type, offset: offset))
        heldFrames += count
        if case .gaps(let shifts) = verdict { try release(shifts) }
    }

    /// Encodes the held blocks.
    ///
    /// - Parameter shifts: the missing seconds before each block; empty if none are missing. The blocks were then stamped
    ///   late, and only as much of their offsets as jitter explains concerns the clock.
    private func release(_ shifts: [Double]) throws(NaluError) {
        guard !held.isEmpty else { return }
        let blocks = held
        held.removeAll(keepingCapacity: true)
        heldFrames = 0
        var shifted = 0.0
        for (index, block) in blocks.enumerated() {
            if index < shifts.count, shifts[index] != 0 {
                shifted += shifts[index]
                try jump(Int((shifts[index] * Double(audio.sampleRate)).rounded()), resampler(for: block.type))
            }
            try unsafe block.bytes.span.withUnsafeBytes { (bytes) throws(NaluError) in
                guard let start = bytes.baseAddress else { return }
                let most = 2 * gaps.jitter
                let offset = shifts.isEmpty ? min(max(block.offset, -most), most) : block.offset - shifted
                try unsafe encode(start, block.count, block.type, offset: offset)
            }
        }
    }

    /// Encodes frames that follow the audio so far.
    ///
    /// - Parameter offset: the time of the frames less the time at which they will be placed, in seconds; nil if unknown.
    private func encode(
        _ start: UnsafeRawPointer, _ count: Int, _ type: AudioValueType, offset: Double?
    ) throws(NaluError) {
        let resampler = try resampler(for: type)
        if let offset {
            if let frames = drift.note(offset: offset, frames: count) {
                try AACEncoder.check(resampler.compensate(frames, over: drift.window))
            }
        }
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
            throw NaluError(.invalidTime, "time is \(time); expected a numeric time of at most \(1 << 40) seconds")
        }
        guard let origin else { return first }
        let offset = offset(of: time, origin)
        guard offset.magnitude <= Self.longestJump else {
            throw NaluError(
                .invalidTime,
                "time is \(time.secondsText) s, \(MediaTime(seconds: offset, preferredTimescale: 1000).secondsText) s from the end of the previous frames; expected at most 10 s, or a new encoder"
            )
        }
        return first
    }

    /// The host time of the next frames, without those that will be left out, less the time at which they will be
    /// placed after the held blocks, in seconds.
    private func offset(of time: MediaTime, _ origin: MediaTime) -> Double {
        let frames = encoder.sentCount + Int64(filled) + Int64(heldFrames) - Int64(excess)
        return (time - origin).seconds - Double(frames) / Double(audio.sampleRate) - (resampler?.1.delay ?? 0)
    }

    /// Inserts silence for `frames` missing frames, or drops the next frames if the number is negative.
    private func jump(_ frames: Int, _ resampler: AudioResampler) throws(NaluError) {
        // Offsets count the frames that are still to be dropped as dropped already.
        let shift = frames - excess
        excess = max(0, -shift)
        try insertSilence(max(0, shift), resampler)
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
        try release(gaps.end())
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
