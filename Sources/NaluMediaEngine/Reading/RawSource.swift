internal import CFFmpeg
internal import CNalu
internal import NaluBase

/// A raw elementary stream: bytes without a container.
@safe
final class RawSource {
    let track: ReaderTrack
    private let input: InputStream
    private let signals: ReaderSignals
    private let options: ReaderOptions
    private var parser: ParsedStream
    private var chunk = [UInt8](repeating: 0, count: 65536)
    private var isFinished = false
    /// What was found ahead of the client.
    private var ready: [Result<OpaquePointer, NaluError>] = unsafe []

    init(
        _ input: InputStream, _ codec: VideoCodec, _ options: ReaderOptions, _ signals: ReaderSignals
    ) throws(NaluError) {
        self.input = input
        self.signals = signals
        self.options = options
        input.input.stop()
        parser = try ParsedStream(codec: codec.code, frameDuration: options.frameDuration)
        var facts = TrackFacts()
        facts.isReadable = true
        facts.isDefault = true
        facts.mediaType = 0x7669_6465
        facts.codec = codec.code
        facts.codecID = codec.id
        if options.frameDuration.value > 0 {
            facts.nominalFrameRate = Double(options.frameDuration.timescale) / Double(options.frameDuration.value)
        }
        track = ReaderTrack(parsed: parser, facts, options)
        try readAhead()
    }

    deinit {
        drop()
    }

    private func drop() {
        unsafe ready.forEach { result in
            if case .success(let sample) = unsafe result { unsafe nalu_sample_release(sample) }
        }
        unsafe ready = []
    }

    /// To the first sample, which tells what the stream is.
    private func readAhead() throws(NaluError) {
        while true {
            do throws(NaluError) {
                guard let sample = try unsafe parse() else { return }
                unsafe ready.append(.success(sample))
                track.facts.startTime = unsafe nalu_sample_get_presentation_time(sample)
                let duration = unsafe nalu_sample_get_duration(sample)
                track.facts.timescale = nalu_time_is_numeric(duration) == 1 ? duration.timescale : 30
                unsafe track.facts.take(nalu_sample_get_format_description(sample))
                return
            } catch {
                guard error.status == .badData else { throw error }
                unsafe ready.append(.failure(error))
            }
        }
    }

    /// The next sample with its reference; nil at the end.
    func next() throws(NaluError) -> OpaquePointer? {
        if unsafe !ready.isEmpty {
            return try unsafe ready.removeFirst().get()
        }
        return try unsafe parse()
    }

    private func parse() throws(NaluError) -> OpaquePointer? {
        while true {
            if signals.isCancelled { throw Demuxer.cancelled }
            if let sample = try unsafe parser.next() {
                unsafe track.note(formatOf: sample)
                return unsafe sample
            }
            if isFinished { return nil }
            let count = unsafe chunk.withUnsafeMutableBufferPointer { bytes in
                unsafe avio_read_partial(input.context, bytes.baseAddress, Int32(bytes.count))
            }
            if signals.isCancelled { throw Demuxer.cancelled }
            if let failure = input.error { throw failure }
            if count > 0 {
                let result: Result<Void, NaluError> = unsafe chunk.withUnsafeBytes { bytes in
                    do throws(NaluError) {
                        try unsafe parser.push(
                            UnsafeRawBufferPointer(rebasing: bytes[..<Int(count)]), time: nalu_time_invalid())
                        return .success(())
                    } catch { return .failure(error) }
                }
                try result.get()
            } else {
                isFinished = true
                parser.finish()
            }
        }
    }

    /// Reads from the beginning on, until it is known which sample is the last key frame at or before that time.
    func seek(to time: nalu_time) throws(NaluError) {
        guard unsafe avio_seek(input.context, 0, SEEK_SET) >= 0 else {
            throw NaluError(.inputOutput, "the input cannot seek; expected a file")
        }
        drop()
        parser = try ParsedStream(codec: track.facts.codec, frameDuration: options.frameDuration)
        isFinished = false
        while true {
            let sample: OpaquePointer
            do throws(NaluError) {
                guard let next = try unsafe parse() else { return }
                unsafe sample = unsafe next
            } catch {
                guard error.status == .badData else { throw error }
                unsafe ready.append(.failure(error))
                continue
            }
            let flags = unsafe nalu_sample_get_attachments(sample)
            let isStart = flags & UInt32(NALU_SAMPLE_NOT_SYNC) == 0 || flags & UInt32(NALU_SAMPLE_PARTIAL_SYNC) != 0
            if unsafe isStart && nalu_time_compare(nalu_sample_get_presentation_time(sample), time) <= 0 { drop() }
            unsafe ready.append(.success(sample))
            if unsafe nalu_time_compare(nalu_sample_get_decode_time(sample), time) > 0 { return }
        }
    }
}
