internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// A raw elementary stream: bytes without a container.
final class RawSource {
    let track: DemuxedTrack
    private let input: InputStream
    private let signals: ReaderSignals
    private let options: ReaderOptions
    /// The frames per second that the parser assumes for a stream without timing information
    /// (nalu_stream_parser_options).
    private static let countedRate = 30.0
    private var parser: ParsedStream
    private var chunk = [UInt8](repeating: 0, count: 65536)
    private var isFinished = false
    /// Samples and errors that were found before the client asked for them.
    private var ready = Queue<Result<Sample, NaluError>>()

    init(
        _ input: InputStream, _ codec: VideoCodec, _ options: ReaderOptions, _ signals: ReaderSignals
    ) throws(NaluError) {
        self.input = input
        self.signals = signals
        self.options = options
        input.input.stop()
        input.follow("")
        parser = try ParsedStream(codec: codec.rawValue, frameDuration: options.frameDuration)
        var facts = TrackFacts()
        facts.isReadable = true
        facts.isDefault = true
        facts.mediaType = 0x7669_6465
        facts.codec = codec.rawValue
        facts.codecID = codec.id
        if options.frameDuration.value > 0 {
            facts.nominalFrameRate = Double(options.frameDuration.timescale) / Double(options.frameDuration.value)
        }
        track = DemuxedTrack(parsed: parser, facts, options)
        try readAhead()
    }

    /// Reads up to the first sample, which shows the properties of the stream.
    private func readAhead() throws(NaluError) {
        while true {
            do throws(NaluError) {
                guard let sample = try parse() else { return }
                ready.append(.success(sample))
                track.facts.startTime = sample.presentationTime
                track.facts.timescale = sample.duration.isNumeric ? sample.duration.timescale : 30
                track.facts.take(track.format)
                if track.facts.nominalFrameRate == 0 {
                    // The parser counts times at this rate if the stream states none.
                    track.facts.nominalFrameRate = Self.countedRate
                }
                return
            } catch {
                guard error.status == .badData else { throw error }
                ready.append(.failure(error))
            }
        }
    }

    /// Returns the next sample; nil at the end.
    func next() throws(NaluError) -> Sample? {
        if let first = ready.popFirst() { return try first.get() }
        return try parse()
    }

    private func parse() throws(NaluError) -> Sample? {
        while true {
            if signals.isCancelled { throw Demuxer.cancelled }
            if let sample = try parser.next() {
                track.note(formatOf: sample)
                return sample
            }
            if isFinished { return nil }
            let count = input.read(into: &chunk)
            if signals.isCancelled { throw Demuxer.cancelled }
            if let failure = input.error { throw failure }
            if count > 0 {
                let bytes = chunk
                try parser.push(bytes.span.extracting(first: count))
            } else {
                isFinished = true
                parser.finish()
            }
        }
    }

    /// Reads from the beginning until the last key frame at or before `time` is known.
    func seek(to time: MediaTime) throws(NaluError) {
        guard input.rewind() else {
            throw NaluError(.inputOutput, "the input cannot seek; expected a file")
        }
        ready.removeAll()
        parser = try ParsedStream(codec: track.facts.codec, frameDuration: options.frameDuration)
        isFinished = false
        while true {
            let sample: Sample
            do throws(NaluError) {
                guard let next = try parse() else { return }
                sample = next
            } catch {
                guard error.status == .badData else { throw error }
                ready.append(.failure(error))
                continue
            }
            if sample.isStart && sample.presentationTime <= time { ready.removeAll() }
            ready.append(.success(sample))
            if sample.decodeTime > time { return }
        }
    }
}
