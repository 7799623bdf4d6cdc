package import Nalu
package import NaluBase
private import NaluBitstream

/// The frames of a file, which every worker opens itself.
package struct FileChunkSource: ChunkSource {
    /// The name of the file in error messages.
    package let name: String
    /// Opens the file. Called by every worker, for each of its chunks.
    package let open: @Sendable () throws(NaluError) -> Reader

    /// Receives the format of the first picture of a chunk, and each other format, with the picture's presentation time.
    private let onFormat: (@Sendable (FormatDescription, MediaTime) -> Void)?

    package init(
        name: String, open: @escaping @Sendable () throws(NaluError) -> Reader,
        onFormat: (@Sendable (FormatDescription, MediaTime) -> Void)? = nil
    ) {
        self.name = name
        self.open = open
        self.onFormat = onFormat
    }

    package func facts() throws(NaluError) -> ChunkFacts {
        let reader = try open()
        guard let track = reader.tracks.first(where: \.isSelected) else {
            throw NaluError(.unsupportedDataFormat, "\(name) has no video that can be read; expected H.264 or H.265")
        }
        guard let duration = track.duration ?? reader.duration else {
            throw NaluError(
                .unsupportedDataFormat, "\(name) does not state its duration; convert it first, for example to MP4")
        }
        let (frame, image, sequence) = try firstFrame(reader)
        var facts = ChunkFacts(
            width: image.width, height: image.height, format: image.format,
            frameRate: track.nominalFrameRate.flatMap { ExactRate(near: $0) }, duration: duration)
        facts.start = track.startTime ?? .zero
        facts.hasFixedSize = true
        let ratio = track.pixelAspectRatio
        // Players follow the container's aspect ratio, so it takes precedence over the stream's.
        if ratio != (1, 1) || sequence.pixelAspectRatioHorizontal > 0 {
            facts.properties.append((.pixelAspectRatio, .numbers([Double(ratio.horizontal), Double(ratio.vertical)])))
        }
        facts.properties += SourceSettings.signal(
            primaries: sequence.colorPrimaries, transfer: sequence.transferCharacteristics,
            matrix: sequence.matrixCoefficients, chromaLocation: sequence.chromaLocation)
        if sequence.lumaBitDepth > 8 { facts.properties.append((.outputBitDepth, 10)) }
        if frame.flags.contains(.interlaced) {
            let isTopFirst = !frame.flags.contains(.bottomFieldFirst)
            facts.properties.append((.fieldCount, 2))
            facts.properties.append((.fieldDetail, .string(isTopFirst ? "TemporalTopFirst" : "TemporalBottomFirst")))
        }
        return facts
    }

    private func firstFrame(
        _ reader: Reader
    ) throws(NaluError) -> (DecompressionSession.Frame, PixelBuffer, SequenceParameterSet) {
        let decoder = FrameDecoder()
        var sequence: SequenceParameterSet?
        while let sample = try reader.nextVideo() {
            sequence = sample.formatDescription.sequence
            for frame in try decoder.decode(sample) {
                if let image = frame.image { return (frame, image, sample.formatDescription.sequence) }
            }
        }
        if let sequence, let frame = try decoder.finish().first, let image = frame.image {
            return (frame, image, sequence)
        }
        throw NaluError(.badData, "\(name) has no frame that can be decoded")
    }

    package func entry(before time: MediaTime) throws(NaluError) -> MediaTime? {
        let reader = try open()
        try reader.seek(to: time)
        return try reader.nextVideo()?.presentationTime
    }

    // MARK: - Frames

    /// Each frame lasts until the next one is presented: an MP4 stores the distances of decode times, which differ
    /// where frames are reordered.
    package func forEachFrame(
        from begin: MediaTime?, to end: MediaTime?, _ body: (ChunkFrame) throws(NaluError) -> Void
    ) throws(NaluError) {
        var last: ChunkFrame?
        let following = try forEachDecoded(from: begin, to: end) { (frame) throws(NaluError) in
            if let last { try body(Self.frame(last, until: frame.time)) }
            last = frame
        }
        guard let last else { return }
        try body(following.map { Self.frame(last, until: $0) } ?? last)
    }

    private static func frame(_ frame: ChunkFrame, until end: MediaTime) -> ChunkFrame {
        let duration = end - frame.time
        guard duration.isNumeric, duration.value > 0, !duration.hasBeenRounded else { return frame }
        var frame = frame
        frame.duration = duration
        return frame
    }

    /// Passes the frames with the container's durations to `body`. Returns the time of the first frame after `end`, or
    /// a slightly earlier time; nil if there is no such frame.
    private func forEachDecoded(
        from begin: MediaTime?, to end: MediaTime?, _ body: (ChunkFrame) throws(NaluError) -> Void
    ) throws(NaluError) -> MediaTime? {
        func isInside(_ time: MediaTime) -> Bool {
            begin.map { time >= $0 } != false && end.map { time < $0 } != false
        }
        var (expected, passed) = (0, 0)
        func pass(_ frames: [DecompressionSession.Frame]) throws(NaluError) {
            for frame in frames {
                guard let image = frame.image, isInside(frame.presentationTime) else { continue }
                passed += 1
                try body(
                    ChunkFrame(
                        pixels: .kept(image), time: frame.presentationTime, duration: frame.duration,
                        isDamaged: frame.flags.contains(.damaged), hasFixedSize: true))
            }
        }
        var following: MediaTime?
        let reader = try open()
        let decoder = FrameDecoder()
        var last: MediaTime?
        var format: FormatDescription?
        var sample = try readable(after: nil) { () throws(NaluError) in
            guard let begin else { return try reader.nextVideo() }
            return try reader.firstSample(toDecode: begin)
        }
        while let next = sample {
            last = next.presentationTime
            if let end {
                // Later samples are presented no earlier than this one is decoded.
                for time in [next.presentationTime, next.decodeTime] where time >= end {
                    following = min(following ?? time, time)
                }
                if next.decodeTime >= end { break }
            }
            if isInside(next.presentationTime), !next.isHidden {
                expected += 1
                if format !== next.formatDescription {
                    format = next.formatDescription
                    onFormat?(next.formatDescription, next.presentationTime)
                }
            }
            try pass(decoder.decode(next))
            sample = try readable(after: last) { () throws(NaluError) in try reader.nextVideo() }
        }
        try pass(decoder.finish())
        guard passed == expected else {
            let place = begin.map { "\($0.secondsText) s" } ?? "the beginning"
            throw NaluError(
                .decoderMalfunction,
                "\(name) is corrupt: \(expected - passed) of \(expected) frames from \(place) on cannot be decoded")
        }
        return following
    }

    /// Returns the next sample. The error for corrupt data names the file and the place.
    private func readable(
        after last: MediaTime?, _ read: () throws(NaluError) -> Sample?
    ) throws(NaluError) -> Sample? {
        do throws(NaluError) {
            return try read()
        } catch {
            guard error.status == .badData || error.status == .invalidSize else { throw error }
            let place = last.map { "after the frame at \($0.secondsText) s" } ?? "at its beginning"
            throw NaluError(
                error.status,
                "\(name) is corrupt \(place): \(error.message); nalu transcode without --workers leaves such frames out"
            )
        }
    }
}
